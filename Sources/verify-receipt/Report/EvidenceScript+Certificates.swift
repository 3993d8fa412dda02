internal import ReceiptTypes
internal import ReceiptVerification

extension EvidenceScript {
    /// A trusted root as the script knows it.
    struct Root {
        let fingerprint: SHA256Digest
        /// Every intermediate under a built-in root has keyUsage; one under a given root can lack it.
        let isBuiltIn: Bool

        init(_ anchor: TrustAnchor) {
            fingerprint = anchor.fingerprint
            isBuiltIn = anchor.isBuiltIn
        }
    }

    /// The instant at which the certificates must be valid.
    enum Instant {
        /// The time of the check.
        case now
        case at(Timestamp)
        /// The receipt names a signing time that cannot be read.
        case unreadable
    }

    /// What the leaf signs, on which the rules for the chain depend.
    enum Purpose {
        case jws, appReceipt

        fileprivate var leafKey: String {
            switch self {
            case .jws:
                """
                [ "$(key leaf)" = 'id-ecPublicKey prime256v1' ] || fail 'leaf.pem has no P-256 key'
                """
            case .appReceipt:
                """
                case $(key leaf) in
                    'rsaEncryption '*) ;;
                    *) fail 'leaf.pem has no RSA key' ;;
                esac
                bits=$(bits leaf)
                [ "$bits" -ge \(AppReceiptEvidence.keyBits.lowerBound) ] && \
                [ "$bits" -le \(AppReceiptEvidence.keyBits.upperBound) ] \\
                    || fail "the key of leaf.pem has $bits bits"
                """
            }
        }

        /// Certificates of app receipts were signed with SHA-1 until 2023.
        fileprivate var acceptsSHA1: Bool { self == .appReceipt }
    }

    /// The functions that read certificates.
    static let certificateFiles = """

        # Other certificates in a file would be read too.
        is_one() { openssl x509 -in "$1" | cmp -s - "$1" || fail "$1 is not exactly one certificate"; }

        # Writes what a certificate contains, one fact in each line. openssl finds the elements; a text in a certificate
        # that looks like a line about an element has a wrong offset.
        read_certificate() {
            is_one "$1.pem"
            openssl x509 -in "$1.pem" -outform DER >"$work/$1.der"
            openssl x509 -in "$1.pem" -noout -pubkey >"$work/$1.key" 2>/dev/null
            {
                od -An -v -tx1 "$work/$1.der" | tr -d ' \\n' | tr a-f A-F
                printf '\\n'
                openssl asn1parse -inform DER -in "$work/$1.der" 2>/dev/null
            } | awk '
        \(awkProgram)
            ' >"$work/$1.facts"
            wrong=$(fact "$1" wrong)
            [ -z "$wrong" ] || fail "$1.pem is not in DER: $wrong"
        }
        fact() { sed -n "s/^$2 //p" "$work/$1.facts"; }

        # Prints the type of a key and its curve, or its size in bits.
        key() { printf '%s %s\\n' "$(fact "$1" key)" "$(bits "$1")"; }
        bits() {
            openssl pkey -pubin -in "$work/$1.key" -noout -text 2>/dev/null \\
                | sed -n 's/^ASN1 OID: //p; s/.*Public-Key: (\\([0-9]*\\) bit.*/\\1/p' | tail -n 1
        }

        # Fails unless the signature on the first certificate is that of the second one's key.
        signed_by() {
            name() { openssl x509 -in "$1.pem" -noout "-$2_hash"; }
            [ "$(name "$1" issuer)" = "$(name "$2" subject)" ] || fail "$1.pem does not name $2.pem as its issuer"
            [ "$(fact "$1" signed-algorithm)" = "$(fact "$1" algorithm)" ] || fail "$1.pem has two algorithms"
            case $(fact "$1" digest) in
                ecdsa-with-SHA256 | sha256WithRSAEncryption) digest=sha256 ;;
                ecdsa-with-SHA384 | sha384WithRSAEncryption) digest=sha384 ;;
                ecdsa-with-SHA512 | sha512WithRSAEncryption) digest=sha512 ;;
                "$old_algorithm") digest=sha1 ;;
                *) fail "$1.pem is signed with $(fact "$1" digest)" ;;
            esac
            case "$(fact "$1" digest) $(key "$2")" in
                ecdsa*' id-ecPublicKey prime256v1' | ecdsa*' id-ecPublicKey secp384r1' \\
                    | ecdsa*' id-ecPublicKey secp521r1') ;;
                sha*' rsaEncryption '*)
                    [ "$(bits "$2")" -ge \(smallestIssuerKey) ] || fail "the key of $2.pem has $(bits "$2") bits" ;;
                *) fail "$1.pem is signed with $(fact "$1" digest) by $(key "$2")" ;;
            esac
            part() {
                openssl asn1parse -inform DER -in "$work/$1.der" -strparse "$(fact "$1" "$2")" -noout -out "$3" \\
                    || fail "$1.pem has no $2"
            }
            part "$1" signed-at "$work/signed"
            part "$1" signature-at "$work/signature"
            openssl dgst "-$digest" -verify "$work/$2.key" -signature "$work/signature" "$work/signed" \\
                >/dev/null 2>&1 || fail "$1.pem is not signed by the key of $2.pem"
        }

        is_valid() {
            set -- "$1" $(fact "$1" date)
            [ $# -eq 3 ] && [ "$2" -le "$at" ] && [ "$at" -le "$3" ] || fail "$1.pem is not valid at that time"
        }

        # Fails if a certificate is not of version 3, or has a critical extension that the rules do not know.
        is_understood() {
            [ "$(fact "$1" version)" = 02 ] || fail "$1.pem is not of version 3"
            refused=$(fact "$1" critical)
            [ -z "$refused" ] || fail "$1.pem has the critical extension $refused"
        }

        """

    /// The smallest RSA key that may sign certificates.
    private static var smallestIssuerKey: Int { AppReceiptEvidence.smallestIssuerKey }

    /// Prints the facts of a certificate.
    ///
    /// The first line of the input has all bytes in hexadecimal; the others are the elements.
    private static let awkProgram = """
            # Returns bytes in hexadecimal.
            function hex(from, count) { return substr(bytes, 2 * from + 1, 2 * count) }
            # Returns one byte as a number.
            function byte(text, at) {
                text = substr(text, 2 * at + 1, 2)
                return 16 * (index("0123456789ABCDEF", substr(text, 1, 1)) - 1) \\
                    + index("0123456789ABCDEF", substr(text, 2)) - 1
            }
            # Returns the size of the smallest header.
            function header_of(count) { return 2 + (count > 127) + (count > 255) + (count > 65535) }
            # Returns the size of the element at the beginning, with its header; 0 if it is not in DER.
            function size(text,    first, count, number) {
                first = byte(text, 1)
                if (first < 128) return first + 2
                if (first == 128 || first > 131) return 0
                for (number = 2; number < first - 126; number++) count = 256 * count + byte(text, number)
                return header_of(count) == first - 126 ? count + first - 126 : 0
            }
            # Returns a date in 14 digits; nothing unless it is YYMMDDHHMMSSZ or YYYYMMDDHHMMSSZ.
            function date(text, digits,    number, out) {
                if (length(text) != 2 * digits + 2 || text !~ /5A$/) return ""
                for (number = 0; number < digits; number++) {
                    if (byte(text, number) < 48 || byte(text, number) > 57) return ""
                    out = out substr(text, 2 * number + 2, 1)
                }
                return digits == 14 ? out : (out < "5" ? "20" : "19") out
            }
            # Returns whether a named bit list has no zero bits at its end.
            function is_list(text,    unused, last) {
                unused = byte(text, 2)
                if (length(text) == 6) return unused == 0
                last = byte(text, length(text) / 2 - 1)
                return unused < 8 && last % 2 ^ unused == 0 && int(last / 2 ^ unused) % 2 == 1
            }
            # Returns whether extendedKeyUsage names codeSigning or anyExtendedKeyUsage.
            function signs_code(text,    rest, found) {
                for (rest = contents_of(text); rest != ""; rest = substr(rest, 2 * size(rest) + 1)) {
                    if (rest !~ /^06/ || size(rest) == 0 || 2 * size(rest) > length(rest)) return 0
                    if (rest ~ /^(06082B06010505070303|0604551D2500)/) found = 1
                }
                return found
            }
            # Returns the contents of the element at the beginning.
            function contents_of(text,    header) {
                header = byte(text, 1) < 128 ? 2 : byte(text, 1) - 126
                return substr(text, 2 * header + 1, 2 * (size(text) - header))
            }
            # Returns whether a number begins here that is not negative, in the fewest bytes.
            function is_number(text) {
                return text ~ /^02/ && size(text) > 2 && contents_of(text) ~ /^(00[89A-F]|00$|0[1-9A-F]|[1-7])/
            }
            # Returns whether text is an RSA key: two numbers.
            function is_rsa_key(text,    rest, count) {
                if (text !~ /^30/ || 2 * size(text) != length(text)) return 0
                for (rest = contents_of(text); rest != ""; rest = substr(rest, 2 * size(rest) + 1)) {
                    if (!is_number(rest)) return 0
                    count++
                }
                return count == 2
            }
            # Returns whether text is one such number of at most eight bytes.
            function is_path(text) {
                return 2 * size(text) == length(text) && size(text) < 11 && is_number(text)
            }
            function extension(value,    path) {
                if (name in names) { wrong = "an extension twice"; return }
                names[name]
                if (++count > 64) wrong = "more than 64 extensions"
                if (size(value) == 0 || 2 * size(value) != length(value)) wrong = "the value of " name
                if (name == "X509v3 Basic Constraints") {
                    path = value
                    sub(/^30..(0101FF)?/, "", path)
                    if (value !~ /^30/ || path != "" && !is_path(path)) wrong = name
                    print "ca", value ~ /^30..0101FF/ ? "yes" : "no"
                    if (path != "") print "path", path == "020100" ? 0 : "more"
                } else if (name == "X509v3 Key Usage") {
                    if (value !~ /^03/ || !is_list(value)) wrong = name
                    print "usage listed" (byte(value, 3) >= 128 ? " sign" : "") \\
                        (int(byte(value, 3) / 4) % 2 ? " issue" : "")
                } else if (name == "X509v3 Extended Key Usage") {
                    if (critical && !(value ~ /^30/ && signs_code(value))) print "critical", name
                } else if (critical && name != leaf_marker && name != intermediate_marker) {
                    print "critical", name
                }
                if (name == leaf_marker || name == intermediate_marker) print "marker", name
            }

            BEGIN {
                leaf_marker = "\(MarkerOID.receiptSigning)"
                intermediate_marker = "\(MarkerOID.developerRelations)"
            }
            NR == 1 { bytes = $0; next }
            wrong != "" || !/^ *[0-9]+:d=[0-9]+ +hl=[0-9]+ +l= *[0-9]+ +(prim|cons): / { next }
            {
                line = $0
                offset = line + 0
                sub(/^[^=]*=/, "", line); depth = line + 0
                sub(/^[^=]*=/, "", line); header = line + 0
                sub(/^[^=]*= */, "", line); extent = line + 0
                sub(/^[0-9]+ +/, "", line); is_primitive = line ~ /^prim/
                type = substr(line, 7)
                if (offset != expected + 0 || header != header_of(extent)) wrong = "a length, or a text like one"
                if (wrong != "") next
                expected = offset + header + (is_primitive ? extent : 0)
                contents = hex(offset + header, extent)
                number[depth]++
                number[depth + 1] = 0
            }
            depth == 1 && number[1] == 1 { print "signed-at", offset }
            depth == 1 && number[1] == 2 { print "algorithm", contents }
            depth == 1 && number[1] == 3 {
                if (contents !~ /^00/) wrong = "the signature"
                print "signature-at", offset
            }
            number[1] != 1 || depth < 2 { next }
            depth == 2 {
                if (number[2] == 1) first = type ~ /^cont \\[ 0 \\]/ ? 1 : 0
                field = number[2] - first
                in_extensions = type ~ /^cont \\[ 3 \\]/
                if (field == 2) print "signed-algorithm", contents
            }
            # The attributes of a relative name are sorted.
            depth == 4 && (field == 3 || field == 5) {
                whole = hex(offset, header + extent)
                if (number[4] > 1 && whole < previous) wrong = "a name"
                previous = whole
            }
            depth == 3 && field == 0 { print "version", contents; if (contents == "00") wrong = "the version" }
            depth == 3 && field == 2 && type ~ /^OBJECT/ { sub(/^[^:]*:/, "", type); print "digest", type }
            depth == 3 && field == 4 {
                time = date(contents, type ~ /^UTCTIME/ ? 12 : 14)
                if (time == "") wrong = "a date"
                print "date", time
            }
            depth == 4 && field == 6 && number[4] == 1 { sub(/^[^:]*:/, "", type); key = type; print "key", key }
            depth == 3 && field == 6 && type ~ /^BIT STRING/ {
                if (contents !~ /^00/ || key == "rsaEncryption" && !is_rsa_key(substr(contents, 3))) wrong = "the key"
            }
            !in_extensions { next }
            depth == 4 { name = ""; critical = 0 }
            depth == 5 && type ~ /^OBJECT/ { sub(/^[^:]*:/, "", type); name = type }
            depth == 5 && type ~ /^BOOLEAN/ { critical = 1; if (contents != "FF") wrong = "critical of " name }
            depth == 5 && type ~ /^OCTET STRING/ { extension(contents) }
            END {
                if (wrong == "" && 2 * expected != length(bytes)) wrong = "a length"
                if (wrong != "") print "wrong", wrong
            }
        """

    /// Requires a trusted root.
    static func trustedRoot(_ roots: [Root], for purpose: Purpose) -> String {
        func pattern(_ isBuiltIn: Bool) -> String {
            let listed = roots.filter { $0.isBuiltIn == isBuiltIn }.map(\.fingerprint.description)
            return listed.isEmpty ? "''" : listed.joined(separator: " | ")
        }
        return """

            begin 'The root is trusted'
            [ -f trusted-root.pem ] || fail 'no trusted root has the name and key of the last certificate'
            read_certificate trusted-root
            fingerprint=$(sha256 <"$work/trusted-root.der")
            case $fingerprint in
                \(pattern(true))) is_built_in=yes ;;
                \(pattern(false))) is_built_in=no ;;
                *) fail "the SHA-256 of trusted-root.pem is $fingerprint" ;;
            esac

            """
    }

    /// Requires a chain of three certificates, or a single one that is trusted itself.
    static func chain(_ names: [String], for purpose: Purpose, at instant: Instant) -> String {
        names.count == 1
            ? alone(for: purpose, at: instant) : self.roles(purpose) + links(purpose) + dates(names, at: instant)
    }

    private static func alone(for purpose: Purpose, at instant: Instant) -> String {
        """

        begin 'The certificate is the trusted one, as in receipts of Xcode'
        cmp -s leaf.pem trusted-root.pem || fail 'leaf.pem is not trusted-root.pem'
        [ "$is_built_in" = no ] || fail 'a built-in root signs no receipts'
        read_certificate leaf
        \(purpose.leafKey)

        """ + dates(["leaf"], at: instant)
    }

    private static func roles(_ purpose: Purpose) -> String {
        """

        begin 'Each certificate has its role'
        for name in leaf intermediate root; do read_certificate "$name"; done
        # A certificate without CA:TRUE issues none; without keyUsage it may be used for anything.
        case $(fact trusted-root ca)/$(fact trusted-root usage)/$(fact trusted-root path) in
            yes/*/0) fail 'trusted-root.pem allows no intermediate' ;;
            yes//* | yes/*issue/*) ;;
            *) fail 'trusted-root.pem may not issue certificates' ;;
        esac
        case $(fact intermediate ca)/$(fact intermediate usage)/$is_built_in in
            yes//no | yes/*issue/*) ;;
            *) fail 'intermediate.pem may not issue certificates' ;;
        esac
        [ "$(fact leaf ca)" != yes ] || fail 'leaf.pem is a CA'
        \(purpose.leafKey)
        case $(fact leaf usage) in
            '' | *sign*) ;;
            *) fail 'leaf.pem may not sign' ;;
        esac
        is_understood leaf
        is_understood intermediate

        begin 'The certificates are marked as those of App Store receipts'
        has_marker() {
            fact "$1" marker | grep -qxF "$2" || fail "$1.pem has no marker $2"
        }
        has_marker leaf \(MarkerOID.receiptSigning)
        has_marker intermediate \(MarkerOID.developerRelations)

        """
    }

    private static func links(_ purpose: Purpose) -> String {
        let root =
            switch purpose {
            case .jws:
                """
                # root.pem has no authority of its own: it may be another certificate with this name and key.
                [ "$(openssl x509 -in root.pem -noout -subject_hash)" = \
                "$(openssl x509 -in trusted-root.pem -noout -subject_hash)" ] \\
                    && cmp -s "$work/root.key" "$work/trusted-root.key" \\
                    || fail 'trusted-root.pem has another name or key than root.pem'
                """
            case .appReceipt: "cmp -s root.pem trusted-root.pem || fail 'root.pem is not trusted-root.pem'"
            }
        return """

            begin 'The certificates form a chain'
            # SHA-1 signs certificates of app receipts only.
            old_algorithm=\(purpose.acceptsSHA1 ? "sha1WithRSAEncryption" : "none")
            \(root)
            signed_by intermediate trusted-root
            signed_by leaf intermediate

            """
    }

    /// Requires that certificates are valid at an instant.
    private static func dates(_ names: [String], at instant: Instant) -> String {
        let validated = names.count == 1 ? names : names.dropLast() + ["trusted-root"]
        let (words, time) =
            switch instant {
            case .now: ("the time of this check", "at=$(date -u +%Y%m%d%H%M%S)")
            case .at(let timestamp):
                (
                    "\(timestamp), the time of signing or of --at",
                    "at=\(timestamp.description.filter(\.isNumber).prefix(14))"
                )
            case .unreadable: ("the time of signing", "fail 'the time of signing cannot be read'")
            }
        return """

            begin 'The certificates are valid at \(words)'
            \(time)
            for name in \(validated.joined(separator: " ")); do is_valid "$name"; done

            """
    }
}
