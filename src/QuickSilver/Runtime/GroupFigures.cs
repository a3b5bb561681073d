using QuickSilver.Protocol.Core;

namespace QuickSilver.Runtime;

/// <summary>One group's counters: a field of <see cref="GroupCore"/>, never copied. Core thread only.</summary>
internal struct GroupFigures
{
    private static readonly TimeSpan EpisodeGap = TimeSpan.FromSeconds(10);
    private static readonly int Reasons = Enum.GetValues<LossReason>().Length;
    private Instant[]? _lastLoss;
    private Instant _nextHandlerReport;

    /// <summary>Messages that the protocol took from the application.</summary>
    public long MessagesSent { get; set; }

    /// <summary>Bytes of <see cref="MessagesSent"/>.</summary>
    public long BytesSent { get; set; }

    /// <summary>Messages delivered to the group.</summary>
    public long MessagesReceived { get; set; }

    /// <summary>Bytes of <see cref="MessagesReceived"/>.</summary>
    public long BytesReceived { get; set; }

    /// <summary>Messages reported as lost.</summary>
    public long MessagesLost { get; set; }

    /// <summary>Messages that full inboxes dropped.</summary>
    public long MessagesDropped { get; set; }

    /// <summary>Notes a loss; true for the first of its kind after ten seconds without one, which is logged.</summary>
    public bool BeginsEpisode(LossReason reason, Instant now)
    {
        _lastLoss ??= new Instant[Reasons];
        Instant last = _lastLoss[(int)reason];
        _lastLoss[(int)reason] = now;
        return last == Instant.Zero || now - last > EpisodeGap;
    }

    /// <summary>True when an exception of user code is to be logged: at most once a second.</summary>
    public bool ReportsHandlerError(Instant now)
    {
        if (now < _nextHandlerReport) return false;
        _nextHandlerReport = now + TimeSpan.FromSeconds(1);
        return true;
    }
}
