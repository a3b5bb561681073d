using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// A node's end of its session with a server. Numbered frames are kept until the server has confirmed them, and sent
/// again on the next connection. The server's frames are counted. While the session is open, heartbeats report that
/// count and the node's observations of others. Core thread only.
/// </summary>
internal sealed class AgentSession
{
    // A heartbeat that is later says nothing of other nodes.
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
    /// <param name="interval">The time between heartbeats.</param>
    /// <param name="link">Carries frames.</param>
    /// <param name="events">Asked for the node's observations.</param>
    /// <param name="alarms">Fires the heartbeat's timer.</param>
    public AgentSession(TimeSpan interval, IMembershipLink link, IMembershipEvents events, AlarmQueue alarms)
    {
        _interval = interval;
        _link = link;
        _events = events;
        _alarm = new Alarm(alarms, SendHeartbeat);
    }

    /// <summary>True while the server's welcome on the present connection holds.</summary>
    public bool IsOpen { get; private set; }

    /// <summary>
    /// True once the node has left, was refused or removed, or received an invalid frame. It sends nothing further to
    /// any server.
    /// </summary>
    public bool IsOver { get; private set; }

    /// <summary>Numbered frames received from the server since the session began.</summary>
    public ulong Received { get; private set; }

    /// <summary>The server has confirmed a number of frames. False when it claims more than were sent.</summary>
    public bool TryConfirm(ulong received) => _log.TryConfirm(received);

    /// <summary>The server resumes after a number of frames. False when it cannot.</summary>
    public bool TryResume(ulong received) => _log.TryResume(received);

    /// <summary>A numbered frame has come.</summary>
    public void OnReceived() => Received++;

    /// <summary>The server has welcomed this node: unconfirmed frames are sent again.</summary>
    public void Open(Instant now)
    {
        IsOpen = true;
        SetAlarm(now);
        foreach (byte[] frame in _log.Unconfirmed) _link.Send(frame);
    }

    /// <summary>The connection is gone, or the server no longer knows this node.</summary>
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

    /// <summary>Another session begins: frames of the former one are void.</summary>
    public void Restart()
    {
        _log = new SessionLog();
        Received = 0;
    }

    /// <summary>
    /// Sends a numbered frame, as soon as the session is open; once it is over, does nothing. The array is kept and
    /// must not change.
    /// </summary>
    public void Send(byte[] frame)
    {
        if (IsOver) return;
        _log.Append(frame);
        if (IsOpen) _link.Send(frame);
    }

    private void SendHeartbeat(Instant now)
    {
        _observed.Clear();
        // After a pause, answers of others may still be unread, so a late heartbeat carries no observations of others.
        _observed.IsLate = now - _due > LateAlarm;
        _events.OnObserving(_observed, now);
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
