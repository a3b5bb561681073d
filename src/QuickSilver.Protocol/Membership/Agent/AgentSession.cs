using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// A node's end of its session with a server: numbered frames are kept until the server has confirmed them, and sent again by the next connection;
/// what the server sent is counted; while the server has welcomed the node, heartbeats tell that count, and what the node observes of others. Core
/// thread only.
/// </summary>
internal sealed class AgentSession
{
    private static readonly TimeSpan LateAlarm = TimeSpan.FromMilliseconds(500);

    private readonly IMembershipLink _link;
    private readonly IMembershipEvents _events;
    private readonly TimeSpan _interval;
    private readonly Alarm _alarm;
    private readonly NodeObservations _observed = new();
    private readonly FrameBuilder _frame = new();
    private SessionLog _log = new();
    private Instant _due;
    private bool _hasObserved;

    /// <summary>Makes a session that is not open.</summary>
    /// <param name="interval">From heartbeat to heartbeat.</param>
    /// <param name="link">Carries frames.</param>
    /// <param name="events">Asked what the node observes.</param>
    /// <param name="alarms">Fires the heartbeat's timer.</param>
    public AgentSession(TimeSpan interval, IMembershipLink link, IMembershipEvents events, AlarmQueue alarms)
    {
        _interval = interval;
        _link = link;
        _events = events;
        _alarm = new Alarm(alarms, SendHeartbeat);
    }

    /// <summary>The server has welcomed this node by the present connection.</summary>
    public bool IsOpen { get; private set; }

    /// <summary>The node has said goodbye, or was refused, removed or told nonsense: it says nothing more to any server.</summary>
    public bool IsOver { get; private set; }

    /// <summary>Numbered frames taken from the server since the session began.</summary>
    public ulong Received { get; private set; }

    /// <summary>The server has taken so many frames. False when it claims more than were sent.</summary>
    public bool TryConfirm(ulong received) => _log.TryConfirm(received);

    /// <summary>The server goes on after so many frames. False when it cannot.</summary>
    public bool TryResume(ulong received) => _log.TryResume(received);

    /// <summary>A numbered frame has come.</summary>
    public void OnReceived() => Received++;

    /// <summary>The server has welcomed this node: what it has not confirmed is sent again.</summary>
    public void Open(Instant now)
    {
        IsOpen = true;
        SetAlarm(now);
        foreach (byte[] frame in _log.Unconfirmed) _link.Send(frame);
    }

    /// <summary>The connection is gone, or the server does not know this node any more.</summary>
    public void Close()
    {
        IsOpen = false;
        _alarm.Cancel();
    }

    /// <summary>Ends for good; no connection opens it again.</summary>
    public void End()
    {
        IsOver = true;
        Close();
    }

    /// <summary>Another session begins: what was said in the one before counts no more.</summary>
    public void Restart()
    {
        _log = new SessionLog();
        Received = 0;
    }

    /// <summary>Sends a numbered frame, as soon as the session is open; once it is over, nothing. The array is kept and must not change.</summary>
    public void Send(byte[] frame)
    {
        if (IsOver) return;
        _log.Append(frame);
        if (IsOpen) _link.Send(frame);
    }

    private void SendHeartbeat(Instant now)
    {
        _observed.Clear();
        // Who stood still has not read yet what others answered meanwhile: a late judge distrusts itself first.
        if (now - _due <= LateAlarm) _events.OnObserving(_observed, now);
        if (!IsOpen) return;
        if (_hasObserved || !_observed.IsEmpty)
        {
            ObservedFrame.Write(_frame, _observed, ObservedFrame.MostTold);
            _link.Send(_frame.Span);
            _hasObserved = !_observed.IsEmpty;
        }
        _link.Send(_frame.Begin(FrameKind.Heartbeat).WriteVarint(Received).Span);
        SetAlarm(now);
    }

    private void SetAlarm(Instant now)
    {
        _due = now + _interval;
        _alarm.Set(_due);
    }
}
