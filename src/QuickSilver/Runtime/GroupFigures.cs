using QuickSilver.Protocol.Core;

namespace QuickSilver.Runtime;

/// <summary>One group's counters. Core thread only.</summary>
internal sealed class GroupFigures
{
    private static readonly TimeSpan EpisodeGap = TimeSpan.FromSeconds(10);
    private static readonly int Reasons = Enum.GetValues<LossReason>().Length;
    private Instant[]? _lastLoss;
    private Instant _nextHandlerReport;

    /// <summary>Messages admitted.</summary>
    public long MessagesSent { get; set; }

    /// <summary>Bytes of them.</summary>
    public long BytesSent { get; set; }

    /// <summary>Messages delivered.</summary>
    public long MessagesReceived { get; set; }

    /// <summary>Bytes of them.</summary>
    public long BytesReceived { get; set; }

    /// <summary>Messages lost.</summary>
    public long MessagesLost { get; set; }

    /// <summary>Messages dropped by full inboxes.</summary>
    public long MessagesDropped { get; set; }

    /// <summary>True for the first loss of a kind after ten seconds without: what is told to people.</summary>
    public bool BeginsEpisode(LossReason reason, Instant now)
    {
        _lastLoss ??= new Instant[Reasons];
        Instant last = _lastLoss[(int)reason];
        _lastLoss[(int)reason] = now;
        return last == Instant.Zero || now - last > EpisodeGap;
    }

    /// <summary>True when an exception of user code is to be logged: once a second.</summary>
    public bool ReportsHandlerError(Instant now)
    {
        if (now < _nextHandlerReport) return false;
        _nextHandlerReport = now + TimeSpan.FromSeconds(1);
        return true;
    }
}
