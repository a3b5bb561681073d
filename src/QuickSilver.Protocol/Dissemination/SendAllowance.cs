using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>
/// What window and rate let one stream send now. Blocked by the window, the stream waits for feedback; by the rate, for
/// an alarm. Core thread only. O(1); allocates nothing in steady state.
/// </summary>
internal sealed class SendAllowance
{
    private readonly SendContext _context;
    private readonly Action _unblocked;
    private readonly WindowControl _window;
    private readonly RateControl _rate;
    private readonly Alarm _wakeAlarm;
    private long _held;
    private bool _windowBlocked;
    private bool _rateBlocked;

    /// <summary>Makes the allowance of a stream that has sent nothing.</summary>
    /// <param name="context">The node's shared state.</param>
    /// <param name="view">The view that the stream goes to.</param>
    /// <param name="predecessorShare">The window's share of the stream before it; 0: none.</param>
    /// <param name="burst">The most packets that leave at once.</param>
    /// <param name="unblocked">Called when the alarm fires: the stream may send again.</param>
    /// <param name="now">The present instant.</param>
    public SendAllowance(
        SendContext context, RegionView view, long predecessorShare, int burst, Action unblocked, Instant now)
    {
        _context = context;
        _unblocked = unblocked;
        _window = new WindowControl(SmallestBuffer(context, view), predecessorShare);
        _rate = new RateControl(context.Settings.Rate, burst, now);
        _wakeAlarm = new Alarm(context.Alarms, OnMaySend);
    }

    /// <summary>True while nothing can be sent before feedback comes or the alarm fires.</summary>
    public bool IsBlocked => _windowBlocked || _rateBlocked;

    /// <summary>Becomes true whenever window or rate keep the stream back.</summary>
    public bool HasHeld { get; set; }

    /// <summary>True while half of the window is used.</summary>
    public bool IsHalfUsed => _window.IsHalfUsed;

    /// <summary>The window's share of the smallest receive buffer.</summary>
    public long WindowShare => _window.Share;

    /// <summary>The present pace.</summary>
    public double PacketsPerSecond => _rate.PacketsPerSecond;

    /// <summary>The charge of all packets so far.</summary>
    public long TotalCharge => _window.TotalSent;

    /// <summary>
    /// How many packets the rate lets pass now, up to a limit. The stream is blocked until an alarm when none may.
    /// </summary>
    public int Packets(int limit, Instant now)
    {
        Probes probes = _context.Settings.Probes;
        int allowed = Math.Min(limit, _rate.Allowance(now));
        if (allowed > 1 && probes.Here(BuggifySite.TrainCutShort)) allowed = 1;
        bool isRefused = allowed > 0 && probes.Here(BuggifySite.RateRefused);
        if (allowed > 0 && !isRefused) return allowed;
        if (!isRefused) probes.Reached("the rate keeps a sender back");
        _rateBlocked = true;
        HasHeld = true;
        _wakeAlarm.Set(isRefused ? now + TimeSpan.FromMilliseconds(1) : _rate.NextSendAt(now));
        return 0;
    }

    /// <summary>True when the window has room for a charge beside what is held; else the stream is blocked.</summary>
    public bool Admits(int charge, Instant now)
    {
        if (_window.CanSend(charge + _held, now)) return true;
        WaitForWindow(charge + _held, now);
        return false;
    }

    /// <summary>A packet takes its charge from the window.</summary>
    public void OnPacked(int charge, Instant now) => _window.Sent(charge, now);

    /// <summary>A train takes its packets, and their charge, from the rate.</summary>
    public void OnTrain(int packets, int charge, Instant now) => _rate.Sent(packets, charge, now);

    /// <summary>
    /// Holds room in window and rate for a packet of several regions; other packets use the rest. Where there is none
    /// the stream is blocked, and it is told when it may send again. Nothing that is held keeps the last packet under
    /// way from being answered, so room comes.
    /// </summary>
    /// <param name="charge">The packet's charge.</param>
    /// <param name="now">The present instant.</param>
    public bool TryHold(int charge, Instant now)
    {
        if (IsBlocked || Packets(1, now) == 0) return false;
        if (!Admits(charge, now)) return false;
        _held += charge;
        _rate.Sent(1, charge, now);
        return true;
    }

    /// <summary>Ends the holding of room.</summary>
    public void FreeHeld(int charge) => _held -= charge;

    /// <summary>True when a charge has room beside what is held, and the rate lets a number of packets pass.</summary>
    public bool HasRoom(int charge, int packets, Instant now) =>
        !IsBlocked && (packets == 0 || _rate.Allowance(now) >= packets) && _window.CanSend(charge + _held, now);

    /// <summary>Evaluates one round's feedback. Nothing is blocked after it until it has been tried.</summary>
    /// <param name="totalAtReadPosition">The window's running total after the last packet that the slowest member has
    /// read.</param>
    /// <param name="ack">The feedback.</param>
    /// <param name="now">The present instant.</param>
    public void OnFeedback(long totalAtReadPosition, in AckBody ack, Instant now)
    {
        long before = _window.Share;
        _window.OnFeedback(totalAtReadPosition, ack.ActiveStreams, ack.Drops, now);
        if (_window.Share != before)
        {
            _context.Settings.Probes.Reached(_window.Share > before ? "a window grows" : "a window is cut");
        }
        _rate.OnFeedback(_window, now);
        _windowBlocked = false;
        _rateBlocked = false;
        _wakeAlarm.Cancel();
    }

    /// <summary>Cancels the alarm.</summary>
    public void Close() => _wakeAlarm.Cancel();

    // Feedback opens the window, or time does while the slowest member is assumed to go on reading.
    private void WaitForWindow(long charge, Instant now)
    {
        _windowBlocked = true;
        HasHeld = true;
        Instant opens = _window.OpensAt(charge, now);
        if (opens != Instant.Never) _wakeAlarm.Set(opens);
    }

    private void OnMaySend(Instant now)
    {
        _ = now;
        _rateBlocked = false;
        _windowBlocked = false;
        _unblocked();
    }

    private static long SmallestBuffer(SendContext context, RegionView view)
    {
        long smallest = long.MaxValue;
        foreach (NodeInfo member in view.Members)
        {
            if (member.Number.Key == context.SelfKey || member.ReceiveBufferBytes <= 0) continue;
            smallest = Math.Min(smallest, member.ReceiveBufferBytes);
        }
        return smallest < long.MaxValue ? smallest : Math.Max(1, context.Transport.Facts.ReceiveBufferBytes);
    }
}
