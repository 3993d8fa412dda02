/// The members of a payload that are made when they are first read.
///
/// A verdict needs none of them, and an app receipt can have hundreds of thousands.
package final class DeferredMembers: Sendable {
    private enum State: Sendable {
        case unread(@Sendable () -> JSONObject)
        case made(JSONObject)
    }

    private let state: Locked<State>

    /// - Parameter make: Makes the members; it is called at most once.
    package init(_ make: @escaping @Sendable () -> JSONObject) {
        state = Locked(.unread(make))
    }

    /// The members; other readers wait while the first one makes them.
    package var members: JSONObject {
        state.withLock { state in
            switch state {
            case .made(let members): return members
            case .unread(let make):
                let members = make()
                state = .made(members)
                return members
            }
        }
    }
}
