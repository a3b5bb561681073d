using QuickSilver.Protocol.Core;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Sites;

/// <summary>
/// One direction of a connection between sites: all that is sent comes, in order. What would be lost is repaired, and
/// holds up all that follows for three times the delay. What is under way when the connection ends is gone.
/// </summary>
/// <param name="model">What it is like.</param>
/// <param name="events">The events to come.</param>
/// <param name="random">Decides what is repaired.</param>
/// <param name="sender">The end that sends.</param>
/// <param name="receiver">The end that receives.</param>
internal sealed class SimulatedStream(
    WayModel model, EventQueue events, SimulationRandom random, SimulatedSite sender, SimulatedSite receiver)
    : IEventTarget
{
    private const int RoomBytes = 64 << 10;

    private static readonly TimeSpan LeastApart = TimeSpan.FromTicks(1);

    private Instant _free;
    private Instant _last;
    private long _connection;
    private ulong _sent;
    private bool _isAwaited;

    /// <summary>True while nothing passes: no connection can be made.</summary>
    public bool IsCut { get; set; }

    /// <summary>Whether the sender may send. After no it is told of room once.</summary>
    public bool HasRoom
    {
        get
        {
            if (Waiting(events.Now) < RoomBytes) return true;
            if (_isAwaited) return false;
            _isAwaited = true;
            events.Schedule(_free - TimeSpan.FromSeconds(RoomBytes / 2 / model.Rate), this, null, _connection);
            return false;
        }
    }

    /// <summary>Sends a datagram.</summary>
    public void Send(ReadOnlySpan<byte> datagram)
    {
        if (IsCut) return;
        Instant now = events.Now;
        Instant start = _free > now ? _free : now;
        _free = start + TimeSpan.FromSeconds((datagram.Length + model.Overhead) / model.Rate);
        Instant due = _free + model.Delay;
        bool isRepaired = random.DrawUnit(
            RandomStream.Loss, (ulong)sender.Index, (ulong)receiver.Index, _sent++) < model.Loss;
        if (isRepaired) due += model.Delay * 2;
        if (due <= _last) due = _last + LeastApart;
        _last = due;
        events.Schedule(due, this, datagram.ToArray(), _connection);
    }

    /// <summary>The connection ends; another one begins.</summary>
    public void Break()
    {
        _connection++;
        _isAwaited = false;
        _free = _last = events.Now;
    }

    /// <inheritdoc/>
    public void OnEvent(object? argument, long value, Instant now)
    {
        if (value != _connection) return;
        if (argument is byte[] datagram)
        {
            receiver.OnEvent(datagram, sender.Index, now);
            return;
        }
        _isAwaited = false;
        sender.OnRoom(receiver.Index);
    }

    private double Waiting(Instant now) => _free > now ? (_free - now).TotalSeconds * model.Rate : 0;
}
