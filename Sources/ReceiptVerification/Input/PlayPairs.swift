/// The pairs of data and signature in a sequence of parts, in its order.
///
/// Parts of one kind beside each other are a run. A run of data and the run of as many signatures beside it are two
/// lists, and belong together one by one. Of runs of different lengths, one of which is a single part, the parts that
/// touch belong together. Data come before their signatures, or all behind them: whichever makes more pairs, and
/// otherwise as the sequence begins.
struct PlayPairs<Value> {
    private(set) var pairs: [(data: Value, signature: Value)] = []
    /// The data without a signature, if there are pairs.
    private(set) var unpaired: [Value] = []

    typealias Part = (part: PlayInputShape.Part, value: Value)

    init(_ parts: [Part]) {
        let runs = Self.runs(of: parts)
        guard let first = runs.first?.part else { return }
        let other: PlayInputShape.Part = first == .data ? .signature : .data
        var places = Self.places(in: runs, first: first)
        for more in [Self.places(in: runs, first: other), Self.alternating(runs)] where more.count > places.count {
            places = more
        }
        guard !places.isEmpty else { return }
        var paired: Set<Int> = []
        for (left, right) in places {
            let (data, signature) = parts[left].part == .data ? (left, right) : (right, left)
            pairs.append((parts[data].value, parts[signature].value))
            paired.insert(data)
        }
        unpaired = parts.indices.filter { parts[$0].part == .data && !paired.contains($0) }.map { parts[$0].value }
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
