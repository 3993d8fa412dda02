internal import ReceiptTypes
internal import ReceiptVerification

/// The shell script that checks the files of a receipt with `openssl` and the standard tools of POSIX.
///
/// It reads the receipt itself and compares its parts with the files, so that a reviewer has to trust neither the files
/// nor this program.
struct EvidenceScript {
    let text: String

    /// The script for an App Store JWS.
    ///
    /// - Parameters:
    ///   - receipt: The SHA-256 of the file of the receipt.
    ///   - certificates: The names of the certificates' files, leaf first.
    ///   - roots: The trusted roots' SHA-256.
    ///   - time: The instant at which the certificates must be valid, in seconds since 1970; nil for the time of the
    ///     check.
    ///   - nested: The folders of the receipts inside a notification, with the SHA-256 of their files.
    ///   - judgement: What this program says about the receipt.
    init(
        ofJWS receipt: SHA256Digest, with certificates: [String], trusting roots: [SHA256Digest], at time: Int64?,
        nested: [(folder: String, receipt: SHA256Digest)], judgement: String
    ) {
        let isAlone = certificates.count == 1
        text =
            Self.beginning + Self.decoding + Self.certificateFiles + """

                begin 'The receipt is the one of this script'
                [ "$(sha256 < receipt.jws)" = \(receipt) ] || fail 'receipt.jws has another SHA-256'

                segment() { tr -d '\\n' < receipt.jws | cut -d . -f "$1"; }

                begin 'The files are the parts of receipt.jws'
                segment 1-2 | tr -d '\\n' | cmp -s - signing-input.bin || fail 'signing-input.bin differs'
                segment 2 | decode | cmp -s - payload.json || fail 'payload.json differs'
                header=$(segment 1 | decode | sed 's,\\\\/,/,g' | tr -d ' \\t\\r\\n')
                case $header in
                    *'"alg":"ES256"'*) ;;
                    *) fail 'the header does not say ES256' ;;
                esac
                for name in \(certificates.joined(separator: " ")); do
                    is_one "$name.pem"
                    certificate=$(openssl x509 -in "$name.pem" -outform DER | openssl base64 -A)
                    case $header in
                        *\\""$certificate"\\"*) ;;
                        *) fail "$name.pem is not in the header" ;;
                    esac
                done
                openssl x509 -in leaf.pem -noout -pubkey | cmp -s - leaf-public-key.pem \\
                    || fail 'leaf-public-key.pem is not the key of leaf.pem'
                raw=$(segment 3 | decode | od -An -v -tx1 | tr -d ' \\n' | tr a-f A-F)
                number() { sed 's/^0*//'; }
                numbers=$(openssl asn1parse -inform DER -in signature.der | sed -n 's/.*INTEGER *://p' | number)
                expected=$(printf '%s\\n%s\\n' "$(printf %s "$raw" | cut -c 1-64)" \
                "$(printf %s "$raw" | cut -c 65-)" | number)
                [ "$numbers" = "$expected" ] || fail 'signature.der has other numbers'

                """ + Self.trustedRoot(roots) + (isAlone ? Self.alone : Self.chain(at: time)) + Self.signature
            + nested.map { Self.check($0.folder, $0.receipt) }.joined() + Self.end(judgement)
    }

    /// Checks the receipt in a member of a notification.
    private static func check(_ member: String, _ receipt: SHA256Digest) -> String {
        """

        begin 'The receipt in \(member)'
        [ "$(sha256 < \(member)/receipt.jws)" = \(receipt) ] || fail 'it has another SHA-256'
        receipt=$(tr -d '\\n' < \(member)/receipt.jws) || fail 'it has no receipt'
        case $(cat payload.json) in
            *\\""$receipt"\\"*) ;;
            *) fail 'it is not the receipt in payload.json' ;;
        esac
        sh \(member)/check.sh nested || fail 'see above'

        """
    }

    /// The script for a Google Play purchase.
    ///
    /// - Parameters:
    ///   - data: The SHA-256 of the signed data.
    ///   - key: The SHA-256 of the key, a SubjectPublicKeyInfo in DER.
    ///   - judgement: What this program says about the purchase.
    init(ofPurchase data: SHA256Digest, by key: SHA256Digest, judgement: String) {
        text =
            Self.beginning + """

                begin 'The purchase and the key are those of this script'
                [ "$(sha256 < purchase.json)" = \(data) ] || fail 'purchase.json has another SHA-256'
                [ "$(openssl pkey -pubin -in play-key.pem -outform DER | sha256)" = \(key) ] \\
                    || fail 'play-key.pem has another SHA-256'

                begin 'The signature is that of signature.txt'
                tr -d '\\n' < signature.txt | openssl base64 -d -A | cmp -s - signature.bin \
                || fail 'signature.bin differs'

                begin 'The signature is valid (RSA with SHA-1, as Google Play signs)'
                openssl dgst -sha1 -verify play-key.pem -signature signature.bin purchase.json >/dev/null 2>&1 \\
                    || fail 'openssl dgst -sha1 -verify does not accept it; some systems switch SHA-1 off'

                printf '%s\\n' 'The signature is valid.' \\
                    'Not checked here: whether play-key.pem is the key in the Play Console; packageName, \
                purchaseState.' \\
                    'When this script was written, verify-receipt said: \(judgement)'

                """
    }

    // MARK: Parts

    static let beginning = """
        #!/bin/sh
        # Checks the receipt in this folder with OpenSSL 1.1.1 or later alone. Exit code 0: all checks passed; \
        1: one failed.
        set -u
        LC_ALL=C
        export LC_ALL
        CDPATH=''
        cd -- "$(dirname -- "$0")" || exit 1
        begin() { printf '%s\\n' "$1"; }
        fail() {
            printf 'FAIL  %s\\n' "$1"
            exit 1
        }
        command -v openssl >/dev/null || fail 'openssl is not installed'
        sha256() { openssl dgst -sha256 -r | cut -d ' ' -f 1; }

        """

    private static let decoding = """

        # Decodes base64url.
        decode() {
            text=$(tr -d '\\n' | tr -- '-_' '+/')
            case $((${#text} % 4)) in
                2) text="$text==" ;;
                3) text="$text=" ;;
            esac
            printf '%s' "$text" | openssl base64 -d -A
        }
        """

    static let certificateFiles = """

        # Other certificates in a file would be trusted too.
        is_one() { openssl x509 -in "$1" | cmp -s - "$1" || fail "$1 is not exactly one certificate"; }

        """

    static func trustedRoot(_ roots: [SHA256Digest]) -> String {
        """

        begin 'The root is trusted'
        [ -f trusted-root.pem ] || fail 'no trusted root has the name and key of the last certificate'
        is_one trusted-root.pem
        fingerprint=$(openssl x509 -in trusted-root.pem -noout -fingerprint -sha256 \
        | sed 's/.*=//; s/://g' | tr A-F a-f)
        case $fingerprint in
            \(roots.map(\.description).joined(separator: " | ").ifEmpty("''"))) ;;
            *) fail "the SHA-256 of trusted-root.pem is $fingerprint" ;;
        esac

        """
    }

    static let alone = """

        begin 'The certificate is the trusted one, as in receipts of Xcode'
        cmp -s leaf.pem trusted-root.pem || fail 'leaf.pem is not trusted-root.pem'

        """

    private static func chain(at time: Int64?) -> String {
        """

        begin 'The certificates form a chain, and are valid at \(description(of: time))'
        # The certificates of the system are not trusted with -trusted.
        openssl verify\(option(at: time)) -trusted trusted-root.pem intermediate.pem \\
            && openssl verify\(option(at: time)) -partial_chain -trusted intermediate.pem leaf.pem \\
            || fail 'openssl verify does not accept the chain'

        """ + roles(leafKey: "prime256v1", "P-256") + markers
    }

    static func roles(leafKey: String, _ name: String) -> String {
        """

        begin 'Each certificate has its role'
        text() { openssl x509 -in "$1" -noout -text; }
        text intermediate.pem | grep -q 'CA:TRUE' || fail 'intermediate.pem is not a CA'
        text leaf.pem | grep -q 'CA:TRUE' && fail 'leaf.pem is a CA'
        text leaf.pem | grep -q '\(leafKey)' || fail 'leaf.pem has no \(name) key'
        case $(text leaf.pem | sed -n '/X509v3 Key Usage/{n;p;}') in
            '' | *'Digital Signature'*) ;;
            *) fail 'leaf.pem may not sign' ;;
        esac

        """
    }

    static let markers = """

        begin 'The certificates are marked as those of App Store receipts'
        openssl asn1parse -in leaf.pem | grep -q 'OBJECT *:\(escaped(MarkerOID.receiptSigning))$' \\
            || fail 'leaf.pem has no marker \(MarkerOID.receiptSigning)'
        openssl asn1parse -in intermediate.pem | grep -q 'OBJECT *:\(escaped(MarkerOID.developerRelations))$' \\
            || fail 'intermediate.pem has no marker \(MarkerOID.developerRelations)'

        """

    private static let signature = """

        begin 'The signature is valid (ES256)'
        openssl dgst -sha256 -verify leaf-public-key.pem -signature signature.der signing-input.bin >/dev/null 2>&1 \\
            || fail 'openssl dgst -sha256 -verify does not accept it'

        """

    private static func end(_ judgement: String) -> String {
        """

        [ $# -gt 0 ] || printf '%s\\n' 'Signature and certificates are valid. What was signed is in payload.json.' \\
            'Not checked here: app, environment and product, revocation of the purchase and of certificates, \
        --distrust,' \\
            'and the environments that a root may sign for.' \\
            'When this script was written, verify-receipt said: \(judgement)'

        """
    }

    static func option(at time: Int64?) -> String { time.map { " -attime \($0)" } ?? "" }

    static func description(of time: Int64?) -> String {
        time.map { "\(Timestamp(clampingSeconds: $0)), the time of signing or of --at" } ?? "the time of this check"
    }

    /// Returns an object identifier as a regular expression.
    private static func escaped(_ identifier: String) -> String {
        identifier.split(separator: ".").joined(separator: "\\.")
    }
}

extension String {
    fileprivate func ifEmpty(_ other: String) -> String { isEmpty ? other : self }
}
