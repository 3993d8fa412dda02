#if os(Linux)
    import Foundation
    import Glibc

    /// The changes of folders, as Linux reports them.
    struct FolderChanges {
        private let watch: FileHandle

        init(of folders: [String]) throws {
            let descriptor = inotify_init1(Int32(IN_CLOEXEC))
            guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
            watch = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            for folder in folders {
                let events = UInt32(IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_DELETE)
                guard unsafe inotify_add_watch(descriptor, folder, events) >= 0 else { throw POSIXError(.ENOENT) }
            }
        }

        /// Waits until the folders have changed a number of times, and returns true, or false if a process has closed
        /// its end of a pipe before.
        ///
        /// Changes that follow one another quickly count as one.
        func wait(_ count: Int, unlessClosed pipe: FileHandle) throws -> Bool {
            for _ in 0..<count {
                var waits = [
                    pollfd(fd: watch.fileDescriptor, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: pipe.fileDescriptor, events: 0, revents: 0),
                ]
                while unsafe poll(&waits, nfds_t(waits.count), -1) < 0 {
                    guard errno == EINTR else { throw POSIXError(.EIO) }
                }
                guard waits[0].revents != 0 else { return false }
                _ = watch.availableData
            }
            return true
        }
    }
#endif
