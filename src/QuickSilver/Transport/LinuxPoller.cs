using System.ComponentModel;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Transport;

/// <summary>
/// Waits for sockets and for other threads at once: one epoll with every socket, level-triggered, and an eventfd that <see cref="Wake"/> writes,
/// whose every write is one event (edge-triggered), so that nobody need read it. Core thread only but for Wake, which is safe even while the poller
/// is being disposed: handles are counted, so that a write never reaches a descriptor that has come to mean something else.
/// </summary>
internal sealed unsafe class LinuxPoller : IDisposable
{
    private const int MostEvents = 128;
    private const uint WakeToken = uint.MaxValue;

    // struct epoll_event is packed on x64 alone: 12 bytes there, 16 elsewhere.
    private static readonly int EventBytes = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 12 : 16;
    private static readonly int EventDataOffset = EventBytes - sizeof(ulong);

    private readonly SafeFileHandle _epoll;
    private readonly SafeFileHandle _wake;
    private readonly byte[] _events = GC.AllocateArray<byte>(MostEvents * 16, pinned: true);
    private readonly List<LinuxPort?> _ports = [];

    // A 32-bit system's own struct timespec has 32-bit fields.
    private bool _isPrecise = Environment.Is64BitProcess;

    /// <summary>Makes a poller without sockets.</summary>
    /// <exception cref="Win32Exception">The process is out of descriptors.</exception>
    public LinuxPoller()
    {
        _epoll = Own(LinuxNative.EpollCreate(LinuxNative.CloseOnExec));
        _wake = Own(LinuxNative.EventCreate(0, LinuxNative.NonBlocking | LinuxNative.CloseOnExec));
        Register(_wake.DangerousGetHandle(), LinuxNative.EpollIn | LinuxNative.EpollEdge, WakeToken);
    }

    /// <summary>How many times it was seen what all ports have; from 1.</summary>
    public ulong Looks { get; private set; } = 1;

    /// <summary>Watches a port's socket.</summary>
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

    /// <summary>Stops watching a port's socket; call before the socket is closed.</summary>
    public void Remove(LinuxPort port)
    {
        _ = LinuxNative.EpollControl(_epoll, LinuxNative.EpollDelete, port.Socket.SafeHandle.DangerousGetHandle(), null);
        _ports[port.Token] = null;
    }

    /// <summary>Marks the ports that have something to read, waiting for the first of them if need be.</summary>
    /// <param name="atMost">How long; negative: for as long as it takes.</param>
    /// <returns>False when the time was up.</returns>
    public bool Wait(TimeSpan atMost)
    {
        fixed (byte* events = _events)
        {
            int count = Call(events, atMost);
            for (int index = 0; index < count; index++)
            {
                uint token = (uint)*(ulong*)(events + (index * EventBytes) + EventDataOffset);
                if (token != WakeToken && _ports[(int)token] is { } port) port.HasSeen = true;
            }
            if (count is >= 0 and < MostEvents) Looks++;
            return count > 0;
        }
    }

    /// <summary>Ends the present wait, or the next. Any thread.</summary>
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
        descriptor >= 0 ? new SafeFileHandle(descriptor, ownsHandle: true) : throw new Win32Exception(Marshal.GetLastPInvokeError());

    private void Register(nint descriptor, uint events, uint token)
    {
        byte* registration = stackalloc byte[16];
        *(uint*)registration = events;
        *(ulong*)(registration + EventDataOffset) = token;
        int result = LinuxNative.EpollControl(_epoll, LinuxNative.EpollAdd, descriptor, registration);
        if (result != 0) throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    private int Call(byte* events, TimeSpan atMost)
    {
        if (_isPrecise && atMost > TimeSpan.Zero)
        {
            long ticks = atMost.Ticks;
            var timeout = new LinuxNative.TimeSpec
            {
                Seconds = ticks / TimeSpan.TicksPerSecond,
                Nanoseconds = ticks % TimeSpan.TicksPerSecond * TimeSpan.NanosecondsPerTick,
            };
            try
            {
                int count = LinuxNative.EpollWaitPrecisely(_epoll, events, MostEvents, &timeout, null);
                if (count >= 0 || Marshal.GetLastPInvokeError() == LinuxNative.Interrupted) return count;
                _isPrecise = false;
            }
            catch (EntryPointNotFoundException)
            {
                _isPrecise = false;
            }
        }
        int milliseconds = atMost < TimeSpan.Zero ? -1 : (int)Math.Min(Math.Ceiling(atMost.TotalMilliseconds), int.MaxValue);
        return LinuxNative.EpollWait(_epoll, events, MostEvents, milliseconds);
    }
}
