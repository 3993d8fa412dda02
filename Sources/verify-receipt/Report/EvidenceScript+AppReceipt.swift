internal import ReceiptTypes
internal import ReceiptVerification

extension EvidenceScript {
    /// The script for an app receipt.
    ///
    /// - Parameters:
    ///   - receipt: The SHA-256 of the container.
    ///   - certificates: The names of the certificates' files, leaf first.
    ///   - roots: The trusted roots.
    ///   - hash: The name of the hash over which the receipt is signed, if it is known.
    ///   - instant: The instant at which the certificates must be valid.
    ///   - judgement: What this program says about the receipt.
    init(
        ofAppReceipt receipt: SHA256Digest, with certificates: [String], trusting roots: [Root],
        hashedWith hash: String?, at instant: Instant, judgement: String
    ) {
        text =
            Self.beginning + Self.certificateFiles + """

                begin 'The receipt is the one of this script'
                [ "$(sha256 < receipt.der)" = \(receipt) ] || fail 'receipt.der has another SHA-256'

                begin 'The files are the parts of receipt.der'
                listed=$(openssl pkcs7 -inform DER -in receipt.der -print_certs | sed '/^subject/d; /^issuer/d' \
                | tr -d '\\n')
                for name in \(certificates.joined(separator: " ")); do
                    is_one "$name.pem"
                    case $listed in
                        *"$(tr -d '\\n' < "$name.pem")"*) ;;
                        *) fail "$name.pem is not in the receipt" ;;
                    esac
                done

                """ + Self.trustedRoot(roots, for: .appReceipt)
            + Self.chain(certificates, for: .appReceipt, at: instant) + Self.receiptSignature(hash) + """

                printf '%s\\n' 'Signature and certificates are valid. What was signed is in attributes.der:' \\
                    '  openssl asn1parse -inform DER -in attributes.der' \\
                    'Not checked here: the form of container and attributes, the algorithms and the type of content' \\
                    'that the container names, its size, app, environment, product and device, whether the creation' \\
                    'date is in the future, refunds, --distrust, and the environments that a root may sign for.' \\
                    'When this script was written, verify-receipt said: \(judgement)'

                """
    }

    private static func receiptSignature(_ hash: String?) -> String {
        let failure =
            "openssl cms -verify does not accept it" + (hash == "SHA-1" ? "; some systems switch SHA-1 off" : "")
        return """

            begin 'The signature over attributes.der is that of leaf.pem (RSA)'
            # The certificates are checked above.
            accept() { openssl cms -verify -inform DER -in receipt.der -noverify -binary "$@" 2>/dev/null; }
            accept -out /dev/null || fail '\(failure)'
            accept | cmp -s - attributes.der || fail 'attributes.der differs'
            accept -out /dev/null -signer /dev/stdout | cmp -s - leaf.pem || fail 'leaf.pem is not the signer'

            """
    }
}
