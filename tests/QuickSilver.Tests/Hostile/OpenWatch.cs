using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Tests.Hostile;

/// <summary>Tells whether anybody has opened a file, by the kernel's own notices. To reach it by O_PATH is not to open
/// it.</summary>
internal sealed unsafe partial class OpenWatch : IDisposable
{
    private const int NonBlockingCloseOnExec = 0x80800;
    private const uint Opened = 0x20;

    private readonly SafeFileHandle _notices;

    /// <summary>Watches what a path leads to now.</summary>
    public OpenWatch(string path)
    {
        _notices = new SafeFileHandle(NotifyInit(NonBlockingCloseOnExec), ownsHandle: true);
        Assert.True(NotifyAdd(_notices, path, Opened) >= 0, Marshal.GetLastPInvokeErrorMessage());
    }

    /// <summary>True when it has been opened since the last question.</summary>
    public bool WasOpened
    {
        get
        {
            byte* notice = stackalloc byte[4096];
            return Read(_notices, notice, 4096) > 0;
        }
    }

    public void Dispose() => _notices.Dispose();

    [LibraryImport("libc", EntryPoint = "inotify_init1", SetLastError = true)]
    private static partial int NotifyInit(int flags);

    [LibraryImport("libc", EntryPoint = "inotify_add_watch", SetLastError = true,
        StringMarshalling = StringMarshalling.Utf8)]
    private static partial int NotifyAdd(SafeFileHandle notices, string path, uint mask);

    [LibraryImport("libc", EntryPoint = "read", SetLastError = true)]
    private static partial nint Read(SafeFileHandle notices, byte* buffer, nuint length);
}
