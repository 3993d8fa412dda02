// A stub of SwiftUI, to compile the example of the documentation on systems without Apple's SDK.
//
// It declares what the example uses, with the names and types that Apple documents for iOS 17. It shows nothing, and no
// product contains or links it.

import Foundation

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

@resultBuilder
public enum ViewBuilder {
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> {
        TupleView()
    }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> ConditionalContent<First, Second> { .init() }
    public static func buildEither<First: View, Second: View>(second: Second) -> ConditionalContent<First, Second> {
        .init()
    }
}

// `return` keeps the builder from making a view of the body.
extension Never: View {
    public var body: Never { return fatalError("a stub shows no view") }
}

public protocol PrimitiveView: View where Body == Never {}

extension PrimitiveView {
    public var body: Never { return fatalError("a stub shows no view") }
}

extension Optional: View, PrimitiveView where Wrapped: View {}

public struct TupleView<Content>: PrimitiveView {}
public struct ConditionalContent<First: View, Second: View>: PrimitiveView {}

// MARK: - Views

public struct Text: PrimitiveView {
    public init(_ content: some StringProtocol) {}
    public func font(_ font: Font?) -> Text { self }
}

public struct Label: PrimitiveView {
    public init(_ title: some StringProtocol, systemImage: String) {}
}

public struct Link: PrimitiveView {
    public init(_ title: some StringProtocol, destination: URL) {}
}

public struct ProgressView: PrimitiveView {
    public init(_ title: some StringProtocol) {}
}

public struct Button: PrimitiveView {
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> some View) {}
    public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
    public init(_ title: some StringProtocol, systemImage: String, action: @escaping @MainActor () -> Void) {}
}

public enum HorizontalAlignment {
    case leading, center, trailing
}

public struct VStack: PrimitiveView {
    public init(alignment: HorizontalAlignment = .center, @ViewBuilder content: () -> some View) {}
}

public struct ScrollView: PrimitiveView {
    public init(@ViewBuilder content: () -> some View) {}
}

public struct List: PrimitiveView {
    public init(@ViewBuilder content: () -> some View) {}
}

public struct Section: PrimitiveView {
    public init(_ title: some StringProtocol, @ViewBuilder content: () -> some View) {}
}

public struct ForEach: PrimitiveView {
    public init<Data: RandomAccessCollection>(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> some View)
    where Data.Element: Identifiable {}
    public init<Data: RandomAccessCollection>(
        _ data: Data, id: KeyPath<Data.Element, some Hashable>, @ViewBuilder content: @escaping (Data.Element) -> some View
    ) {}
}

// MARK: - State

@propertyWrapper
public struct State<Value> {
    private let value: Value
    public init(wrappedValue value: Value) { self.value = value }
    public init(initialValue value: Value) { self.value = value }
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { Binding() }
}

extension State where Value: ExpressibleByNilLiteral {
    public init() { self.init(initialValue: nil) }
}

public struct Binding<Value> {}

@propertyWrapper
public struct Environment<Value> {
    private let path: KeyPath<EnvironmentValues, Value>
    public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }
    public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
}

public struct EnvironmentValues {
    public var dismiss: DismissAction { DismissAction() }
}

@MainActor
public struct DismissAction {
    nonisolated init() {}
    public func callAsFunction() {}
}

// MARK: - Modifiers

public struct Font: Sendable {
    public static let title = Font()
    public static let title3 = Font()
    public static let footnote = Font()
}

public struct ButtonStyle: Sendable {
    public static let bordered = ButtonStyle()
    public static let borderedProminent = ButtonStyle()
}

public struct AccessibilityTraits: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let isHeader = AccessibilityTraits(rawValue: 1)
    public static let isSelected = AccessibilityTraits(rawValue: 2)
}

public enum AccessibilityChildBehavior {
    case combine, contain, ignore
}

public enum AccessibilityNotification {
    public struct Announcement {
        public init(_ text: String) {}
        public func post() {}
    }
}

extension View {
    public func buttonStyle(_ style: ButtonStyle) -> some View { self }
    public func disabled(_ isDisabled: Bool) -> some View { self }
    public func overlay(@ViewBuilder content: () -> some View) -> some View { self }
    public func sheet<Item: Identifiable>(
        item: Binding<Item?>, @ViewBuilder content: @escaping (Item) -> some View
    ) -> some View { self }
    public func interactiveDismissDisabled(_ isDisabled: Bool = true) -> some View { self }
    public func onChange<Value: Equatable>(of value: Value, _ action: @escaping (Value, Value) -> Void) -> some View { self }
    public func onChange<Value: Equatable>(of value: Value, _ action: @escaping () -> Void) -> some View { self }
    public func onDisappear(perform action: @escaping () -> Void) -> some View { self }
    public func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> some View { self }
    public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { self }
    public func accessibilityElement(children: AccessibilityChildBehavior) -> some View { self }
    public func accessibilityHint(_ hint: some StringProtocol) -> some View { self }
}
