extension String {
    /// Returns whether both strings have the same UTF-8 bytes; `==` also accepts canonically equivalent strings.
    package func isIdentical(to other: String) -> Bool {
        let areEqual: Bool?? = unsafe utf8.withContiguousStorageIfAvailable { left in
            unsafe other.utf8.withContiguousStorageIfAvailable { right in
                unsafe UnsafeRawBufferPointer(left).isIdentical(to: UnsafeRawBufferPointer(right))
            }
        }
        // Only a string bridged from Objective-C has no contiguous UTF-8 storage.
        return (areEqual ?? nil) ?? (utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8))
    }
}

extension UnsafeRawBufferPointer {
    /// Returns whether both buffers contain the same bytes.
    package func isIdentical(to other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var offset = 0
        while offset + 8 <= count {
            // Safe: eight bytes from here are within both buffers, and every bit pattern is a UInt64.
            guard
                unsafe loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            else { return false }
            offset += 8
        }
        while offset < count {
            guard unsafe self[offset] == other[offset] else { return false }
            offset += 1
        }
        return true
    }
}
