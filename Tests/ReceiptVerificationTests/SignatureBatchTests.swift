import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Signature batch")
struct SignatureBatchTests {
    /// A signature with its message and key.
    private struct Sample {
        var signature: [UInt8]
        var message: [UInt8]
        var key: ES256PublicKey
        var table: PreparedKey?
    }

    /// The verdicts on the same signatures: from a batch, from its fast path alone, and one by one.
    private struct Verdicts: Equatable {
        var batch: [PublicKey.SignatureVerdict]
        var fast: [PublicKey.SignatureVerdict]
        var single: [PublicKey.SignatureVerdict]
    }

    /// The order n of P-256.
    private static let order: [UInt8] = [
        0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
    ]

    private func verdicts(of samples: [Sample], digest given: SHA256Digest? = nil) throws -> Verdicts {
        var batch = try SignatureBatch()
        var verdicts = Verdicts(batch: [], fast: [], single: [])
        for sample in samples {
            let digest = try given ?? SHA256Digest.of(bytes: sample.message)
            var signature = ReusableBytes()
            _ = unsafe signature.replace(capacity: sample.signature.count) { target in
                for (offset, byte) in sample.signature.enumerated() { unsafe target[offset] = byte }
                return sample.signature.count
            }
            let number = batch.add(signature, over: digest, by: sample.key.key, sample.table)
            #expect(number == verdicts.single.count)
            verdicts.single.append(try sample.key.key.verifyES256(signature.bytes, digest: digest))
        }
        batch.verify()
        for number in samples.indices {
            verdicts.batch.append(try batch.verdict(number).get())
            // A build without the fast path has no verdict to compare.
            verdicts.fast.append(try batch.fastVerdict(number) ?? verdicts.single[number])
        }
        return verdicts
    }

    private func signer() throws -> (sign: ([UInt8]) throws -> [UInt8], key: ES256PublicKey, table: PreparedKey?) {
        let key = try PrivateKey(generating: .p256)
        let publicKey = try key.publicKey()
        let place = try #require(PreparedKeyBudget(capacity: 1).take())
        return (
            { try key.signES256($0) }, ES256PublicKey(publicKey),
            try PreparedKey(publicKey, in: place)
        )
    }

    @Test("[CARD-2] signatures of several keys, valid and invalid, with and without tables, have the verdicts of EVP")
    func mixedBatch() throws {
        let signers = try (0..<3).map { _ in try signer() }
        var samples: [Sample] = []
        for number in 0..<SignatureBatch.capacity {
            let signer = signers[number % signers.count]
            let message = [UInt8]("message \(number)".utf8)
            var sample = Sample(
                signature: try signer.sign(message), message: message, key: signer.key,
                table: number % 2 == 0 ? signer.table : nil
            )
            switch number % 11 {
            case 3: sample.signature[number % 64] ^= UInt8(1 << (number % 8))
            case 5: sample.message.append(0)
            case 7: sample.key = signers[(number + 1) % signers.count].key
            default: break
            }
            // The table must be that of the key.
            if number % 11 == 7, sample.table != nil { sample.table = signers[(number + 1) % signers.count].table }
            samples.append(sample)
        }
        let verdicts = try verdicts(of: samples)
        #expect(verdicts.batch == verdicts.single)
        #expect(verdicts.fast == verdicts.single)
        #expect(verdicts.single.filter { $0 == .valid }.count > SignatureBatch.capacity / 2)
        #expect(verdicts.single.contains(.invalid))
    }

    @Test("[CARD-2] a signature with any bit changed is not valid, and its neighbours in the batch are")
    func everyBitIsVerified() throws {
        let signer = try signer()
        let message = [UInt8]("bits".utf8)
        let good = Sample(signature: try signer.sign(message), message: message, key: signer.key, table: signer.table)
        for start in stride(from: 0, to: 512, by: 32) {
            var samples: [Sample] = []
            for bit in start..<start + 32 {
                var bad = good
                bad.signature[bit / 8] ^= UInt8(1 << (bit % 8))
                samples += [good, bad]
            }
            let verdicts = try verdicts(of: samples)
            #expect(verdicts.batch == verdicts.single)
            #expect(verdicts.fast == verdicts.single)
            for (number, verdict) in verdicts.batch.enumerated() {
                #expect((verdict == .valid) == (number % 2 == 0))
            }
        }
    }

    @Test("[CARD-2] a signature with r or s outside [1, n-1] or of another length is malformed, but not its neighbours")
    func rangesAndLengths() throws {
        let signer = try signer()
        let message = [UInt8]("ranges".utf8)
        let good = try signer.sign(message)
        let (r, s) = ([UInt8](good[..<32]), [UInt8](good[32...]))
        let zero = [UInt8](repeating: 0, count: 32)
        let all = [UInt8](repeating: 0xff, count: 32)
        let bad = [
            zero + s, r + zero, Self.order + s, r + Self.order, all + s, r + all, [], [1], Array(good.dropLast()),
            good + [0], zero + zero,
        ]
        let samples = bad.flatMap { bad in
            [good, bad].map { Sample(signature: $0, message: message, key: signer.key, table: signer.table) }
        }
        let verdicts = try verdicts(of: samples)
        #expect(verdicts.batch == verdicts.single)
        #expect(verdicts.fast == verdicts.single)
        #expect(verdicts.batch == bad.flatMap { _ in [PublicKey.SignatureVerdict.valid, .malformed] })
    }

    @Test("[CARD-2] a signature with n - s in place of s is valid, as ES256 defines")
    func negatedS() throws {
        let signer = try signer()
        let message = [UInt8]("malleable".utf8)
        var signature = try signer.sign(message)
        var borrow = 0
        for index in (0..<32).reversed() {
            let difference = Int(Self.order[index]) - Int(signature[32 + index]) - borrow
            borrow = difference < 0 ? 1 : 0
            signature[32 + index] = UInt8(truncatingIfNeeded: difference)
        }
        let verdicts = try verdicts(of: [
            Sample(signature: signature, message: message, key: signer.key, table: signer.table),
            Sample(signature: signature, message: message, key: signer.key, table: nil),
        ])
        #expect(verdicts.batch == [.valid, .valid])
        #expect(verdicts.fast == [.valid, .valid])
    }

    @Test("[CARD-2] a signature whose sum is the point at infinity is invalid and no fault")
    func sumAtInfinity() throws {
        // The curve's generator is the public key of the private key d = 1 (SEC 2 2.4.2), so e = n - r equals -r d
        // modulo n.
        let generator = try #require(
            Hexadecimal.decode(
                "04"
                    + "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
                    + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"))
        let key = try ES256PublicKey(x963Representation: generator)
        let place = try #require(PreparedKeyBudget(capacity: 1).take())
        let one = [UInt8](repeating: 0, count: 31) + [1]
        let digest = SHA256Digest(bytes: Self.order.dropLast() + [0x50])
        let samples = try [nil, PreparedKey(key.key, in: place)].map {
            Sample(signature: one + one, message: [], key: key, table: $0)
        }
        let verdicts = try verdicts(of: samples, digest: digest)
        #expect(verdicts.single == [.invalid, .invalid])
        #expect(verdicts.batch == verdicts.single)
        #expect(verdicts.fast == verdicts.single)
    }

    @Test("a full batch rejects a further signature, and a cleared one starts at number 0")
    func fullBatch() throws {
        let signer = try signer()
        let digest = try SHA256Digest.of(bytes: [])
        let empty = ReusableBytes()
        var batch = try SignatureBatch()
        for number in 0..<SignatureBatch.capacity {
            #expect(batch.add(empty, over: digest, by: signer.key.key, signer.table) == number)
        }
        let isFull = batch.isFull
        #expect(isFull)
        #expect(batch.add(empty, over: digest, by: signer.key.key, nil) == nil)
        batch.removeAll()
        #expect(batch.add(empty, over: digest, by: signer.key.key, nil) == 0)
    }

    @Test("[CARD-2] a signature has no verdict before the batch is verified")
    func unverifiedBatch() throws {
        let signer = try signer()
        var batch = try SignatureBatch()
        _ = batch.add(ReusableBytes(), over: try SHA256Digest.of(bytes: []), by: signer.key.key, nil)
        #expect(throws: CryptoFault.self) { try batch.verdict(0).get() }
        #expect(throws: CryptoFault.self) { try batch.verdict(1).get() }
    }
}
