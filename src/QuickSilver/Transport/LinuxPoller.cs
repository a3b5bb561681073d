using System.ComponentModel;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Transport;

/// <summary>
/// Waits for sockets and for other threads together. One epoll holds every socket, level-triggered, and an eventfd that
/// <see cref="Wake"/> writes. The eventfd is edge-triggered: each write is one event, so that no read is needed. Core
/// thread only, except Wake, which is safe even during disposal. Handles are counted, so that a write never reaches a
/// descriptor that has been reused.
/// </summary>
internal sealed unsafe class LinuxPoller : IDisposable
{
    private const int MaxEvents = 128;
    private const uint WakeToken = uint.MaxValue;

    // struct epoll_event is packed on x64 alone: 12 bytes there, 16 elsewhere.
    private static readonly int EventBytes = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 12 : 16;
    private static readonly int EventDataOffset = EventBytes - sizeof(ulong);

    private readonly SafeFileHandle _epoll;
    private readonly SafeFileHandle _wake;
    private readonly byte[] _events = GC.AllocateArray<byte>(MaxEvents * 16, pinned: true);
    private readonly List<LinuxPort?> _ports = [];

    // The struct timespec of a 32-bit system has 32-bit fields.
    private bool _isPrecise = Environment.Is64BitProcess;

    /// <summary>Creates a poller without sockets.</summary>
    /// <exception cref="Win32Exception">The process is out of descriptors.</exception>
    public LinuxPoller()
    {
        _epoll = Own(LinuxNative.EpollCreate(LinuxNative.CloseOnExec));
        _wake = Own(LinuxNative.EventCreate(0, LinuxNative.NonBlocking | LinuxNative.CloseOnExec));
        Register(_wake.DangerousGetHandle(), LinuxNative.EpollIn | LinuxNative.EpollEdge, WakeToken);
    }

    /// <summary>The number of complete checks of all ports; from 1.</summary>
    public ulong Polls { get; private set; } = 1;

    /// <summary>Adds a port's socket.</summary>
    public void Add(LinuxPort port)
    {
        int token = _ports.IndexOf(null);
        if (token < 0)
        {
            token = _ports.Count;
            _ports.Add(null);
        }
        Register(port.Socket.SafeHandle.DangerousGetHandle(), LinuxNative.EpollIn, (uint)token);
        _ports[token] = port;
        port.Token = token;
    }

    /// <summary>Removes a port's socket; call before the socket is closed.</summary>
    public void Remove(LinuxPort port)
    {
        _ = LinuxNative.EpollControl(
            _epoll, LinuxNative.EpollDelete, port.Socket.SafeHandle.DangerousGetHandle(), null);
        _ports[port.Token] = null;
    }

    /// <summary>Marks the ports that have something to read, after waiting for the first if necessary.</summary>
    /// <param name="limit">The time limit; negative for none.</param>
    /// <returns>False when the time has passed.</returns>
    public bool Wait(TimeSpan limit)
    {
        fixed (byte* events = _events)
        {
            int count = Call(events, limit);
            for (int index = 0; index < count; index++)
            {
                uint token = (uint)*(ulong*)(events + (index * EventBytes) + EventDataOffset);
                if (token != WakeToken && _ports[(int)token] is { } port) port.HasSeen = true;
            }
            if (count is >= 0 and < MaxEvents) Polls++;
            return count > 0;
        }
    }

    /// <summary>Ends the present wait, or the next one. Any thread.</summary>
    public void Wake()
    {
        ulong one = 1;
        try
        {
            _ = LinuxNative.Write(_wake, &one, sizeof(ulong));
        }
        catch (ObjectDisposedException)
        {
            return;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _epoll.Dispose();
        _wake.Dispose();
    }

    private static SafeFileHandle Own(int descriptor) =>
        descriptor >= 0
            ? new SafeFileHandle(descriptor, ownsHandle: true)
            : throw new Win32Exception(Marshal.GetLastPInvokeError());

    private void Register(nint descriptor, uint events, uint token)
    {
        byte* registration = stackalloc byte[16];
        *(uint*)registration = events;
        *(ulong*)(registration + EventDataOffset) = token;
        int result = LinuxNative.EpollControl(_epoll, LinuxNative.EpollAdd, descriptor, registration);
        if (result != 0) throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    private int Call(byte* events, TimeSpan limit)
    {
        if (_isPrecise && limit > TimeSpan.Zero)
        {
            long ticks = limit.Ticks;
            var timeout = new LinuxNative.TimeSpec
            {
                Seconds = ticks / TimeSpan.TicksPerSecond,
                Nanoseconds = ticks % TimeSpan.TicksPerSecond * TimeSpan.NanosecondsPerTick,
            };
            try
            {
                int count = LinuxNative.EpollWaitPrecisely(_epoll, events, MaxEvents, &timeout, null);
                if (count >= 0 || Marshal.GetLastPInvokeError() == LinuxNative.Interrupted) return count;
                _isPrecise = false;
            }
            catch (EntryPointNotFoundException)
            {
                _isPrecise = false;
            }
        }
        int milliseconds = limit < TimeSpan.Zero
            ? -1
            : (int)Math.Min(Math.Ceiling(limit.TotalMilliseconds), int.MaxValue);
        return LinuxNative.EpollWait(_epoll, events, MaxEvents, milliseconds);
    }
}
