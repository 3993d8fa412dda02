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
    ///   - roots: The trusted roots.
    ///   - instant: The instant at which the certificates must be valid.
    ///   - nested: The folders of the receipts inside a notification, with the SHA-256 of their files.
    ///   - judgement: What this program says about the receipt.
    init(
        ofJWS receipt: SHA256Digest, with certificates: [String], trusting roots: [Root], at instant: Instant,
        nested: [(folder: String, receipt: SHA256Digest)], judgement: String
    ) {
        let list = certificates.map { #"'"'"$(base64_of \#($0))"'"'"# }.joined(separator: ",")
        text =
            Self.beginning + Self.decoding + Self.certificateFiles + """

                begin 'The receipt is the one of this script'
                [ "$(sha256 < receipt.jws)" = \(receipt) ] || fail 'receipt.jws has another SHA-256'

                segment() { tr -d '\\n' < receipt.jws | cut -d . -f "$1"; }

                begin 'The files are the parts of receipt.jws'
                segment 1-2 | tr -d '\\n' | cmp -s - signing-input.bin || fail 'signing-input.bin differs'
                segment 2 | decode | cmp -s - payload.json || fail 'payload.json differs'
                header=$(segment 1 | decode | tr '\\t\\r\\n' '   ' | sed 's,\\\\/,/,g; s/ *\\([],:{}[]\\) */\\1/g')
                case $header in *\\\\*) fail 'the header has escapes, which are not read here' ;; esac
                # Its own members, and what their arrays list. Without escapes, each quotation mark begins or ends a
                # text.
                members=$(printf '%s\\n' "$header" | awk '{
                    for (i = 1; i <= length($0); i++) {
                        c = substr($0, i, 1)
                        if (c == "\\"") text = !text
                        if (!text && (c == "{" || c == "[")) kinds[++depth] = c
                        if (depth < 2 || (depth == 2 && kinds[2] == "[")) printf "%s", c
                        if (!text && (c == "}" || c == "]")) depth--
                    }
                }')
                case $members in
                    *'"crit":'* | *'"b64":'[!t]*) fail 'the header has crit, or a b64 that is not true' ;;
                    *'"alg":'*'"alg":'* | *'"x5c":'*'"x5c":'*) fail 'the header has alg or x5c twice' ;;
                    *'"alg":"ES256"'*) ;;
                    *) fail 'the header does not say ES256' ;;
                esac
                base64_of() { openssl x509 -in "$1.pem" -outform DER | openssl base64 -A; }
                for name in \(certificates.joined(separator: " ")); do is_one "$name.pem"; done
                list=\(list)
                case $members in
                    *'"x5c":['"$list"']'*) ;;
                    *) fail 'the certificates are not those in the header, in their order' ;;
                esac
                openssl x509 -in leaf.pem -noout -pubkey | cmp -s - leaf-public-key.pem \\
                    || fail 'leaf-public-key.pem is not the key of leaf.pem'
                raw=$(segment 3 | decode | od -An -v -tx1 | tr -d ' \\n' | tr a-f A-F)
                number() { sed 's/^0*//'; }
                numbers=$(openssl asn1parse -inform DER -in signature.der | sed -n 's/.*INTEGER *://p' | number)
                expected=$(printf '%s\\n%s\\n' "$(printf %s "$raw" | cut -c 1-64)" \
                "$(printf %s "$raw" | cut -c 65-)" | number)
                [ "$numbers" = "$expected" ] || fail 'signature.der has other numbers'

                """ + Self.trustedRoot(roots, for: .jws) + Self.chain(certificates, for: .jws, at: instant)
            + Self.signature + nested.map { Self.check($0.folder, $0.receipt) }.joined() + Self.end(judgement)
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
                purchaseState, product, and the size.' \\
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
        work=$(mktemp -d) || fail 'there is no folder for temporary files'
        trap 'rm -rf "$work"' EXIT
        trap 'exit 1' HUP INT TERM

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

    private static let signature = """

        begin 'The signature is valid (ES256)'
        openssl dgst -sha256 -verify leaf-public-key.pem -signature signature.der signing-input.bin >/dev/null 2>&1 \\
            || fail 'openssl dgst -sha256 -verify does not accept it'

        """

    private static func end(_ judgement: String) -> String {
        """

        [ $# -gt 0 ] || printf '%s\\n' 'Signature and certificates are valid. What was signed is in payload.json.' \\
            'Not checked here: other members of the header, the form of header and payload as JSON,' \\
            'the size, app, environment and product, whether a notification agrees with the receipts in it,' \\
            'whether the signing time is in the future, revocation of the purchase and of certificates,' \\
            '--distrust, the environments that a root may sign for.' \\
            'When this script was written, verify-receipt said: \(judgement)'

        """
    }
}
