/// The pairs of data and signature in a sequence of parts, in its order.
///
/// Parts of one kind beside each other are a run. A run of data and the run of as many signatures beside it are two
/// lists, and belong together one by one. Of runs of different lengths, one of which is a single part, the parts that
/// touch belong together. Data come before their signatures, or all behind them: whichever makes more pairs, and
/// otherwise as the sequence begins. A signature that is known to be valid over other data belongs to those.
struct PlayPairs<Value> {
    private(set) var pairs: [(data: Value, signature: Value)] = []
    /// The data without a signature, if there are pairs.
    private(set) var unpaired: [Value] = []

    typealias Part = (part: PlayInputShape.Part, value: Value)

    /// - Parameter isValid: Returns whether a signature is known to be valid over data.
    init(_ parts: [Part], isValid: (_ signature: Value, _ data: Value) -> Bool) {
        let runs = Self.runs(of: parts)
        guard let first = runs.first?.part else { return }
        let other: PlayInputShape.Part = first == .data ? .signature : .data
        var places = Self.places(in: runs, first: first)
        for more in [Self.places(in: runs, first: other), Self.alternating(runs)] where more.count > places.count {
            places = more
        }
        guard !places.isEmpty else { return }
        let ordered = places.map { parts[$0].part == .data ? ($0, $1) : ($1, $0) }
        let signatures = Self.signatures(by: ordered, of: parts, isValid)
        for data in parts.indices where parts[data].part == .data {
            if let signature = signatures[data] {
                pairs.append((parts[data].value, parts[signature].value))
            } else {
                unpaired.append(parts[data].value)
            }
        }
    }

    /// The most data and signatures that are compared with each other.
    private static var maximumTrials: Int { 64 }

    /// Returns the signature of each data: the one that is known to be valid, or otherwise the one of its place.
    private static func signatures(
        by places: [(data: Int, signature: Int)], of parts: [Part], _ isValid: (Value, Value) -> Bool
    ) -> [Int: Int] {
        let pairs = Dictionary(uniqueKeysWithValues: places.map { ($0.data, $0.signature) })
        // One of each belong together, and the verifier says whether they do.
        guard (3...maximumTrials).contains(parts.count) else { return pairs }
        func isRight(_ data: Int, _ signature: Int) -> Bool { isValid(parts[signature].value, parts[data].value) }
        var found = pairs.filter { isRight($0.key, $0.value) }
        var used = Set(found.values)
        for data in parts.indices where parts[data].part == .data && found[data] == nil {
            let others = parts.indices.filter { parts[$0].part == .signature && !used.contains($0) }
                .sorted { abs($0 - data) < abs($1 - data) }
            guard let signature = others.first(where: { isRight(data, $0) }) else { continue }
            found[data] = signature
            used.insert(signature)
        }
        for (data, signature) in pairs where found[data] == nil && !used.contains(signature) { found[data] = signature }
        return found
    }

    private struct Run {
        let part: PlayInputShape.Part
        var range: Range<Int>
    }

    private static func runs(of parts: [Part]) -> [Run] {
        var runs: [Run] = []
        for (index, (part, _)) in parts.enumerated() {
            if let last = runs.last, last.part == part {
                runs[runs.count - 1].range = last.range.lowerBound..<index + 1
            } else {
                runs.append(Run(part: part, range: index..<index + 1))
            }
        }
        return runs
    }

    /// Pairs each run of a kind with the run behind it.
    private static func places(in runs: [Run], first: PlayInputShape.Part) -> [(Int, Int)] {
        zip(runs, runs.dropFirst()).filter { $0.0.part == first }.flatMap { left, right in
            // A single part belongs to the one that it touches.
            let skipped = right.range.count == 1 ? left.range.count - 1 : 0
            return Array(zip(left.range.dropFirst(skipped), right.range))
        }
    }

    /// Pairs each part with the next one of the other kind, beginning with the first one.
    private static func alternating(_ runs: [Run]) -> [(Int, Int)] {
        var places: [(Int, Int)] = []
        // The part before a run that is not paired.
        var free: Int?
        for run in runs {
            if let last = free { places.append((last, run.range.lowerBound)) }
            let rest = run.range.dropFirst(free == nil ? 0 : 1)
            free = rest.last
        }
        return places
    }
}
