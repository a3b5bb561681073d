using QuickSilver.Protocol.Core;

namespace QuickSilver.Runtime;

/// <summary>One group's counters: a field of <see cref="GroupCore"/>, never copied. Core thread only.</summary>
internal struct GroupFigures
{
    private static readonly TimeSpan EpisodeGap = TimeSpan.FromSeconds(10);
    private static readonly int Reasons = Enum.GetValues<LossReason>().Length;
    private Rare? _rare;

    /// <summary>Messages that the protocol took from the application.</summary>
    public long MessagesSent { get; set; }

    /// <summary>Bytes of <see cref="MessagesSent"/>.</summary>
    public long BytesSent { get; set; }

    /// <summary>Messages delivered to the group.</summary>
    public long MessagesReceived { get; set; }

    /// <summary>Bytes of <see cref="MessagesReceived"/>.</summary>
    public long BytesReceived { get; set; }

    /// <summary>Messages reported as lost.</summary>
    public long MessagesLost
    {
        readonly get => _rare?.MessagesLost ?? 0;
        set => Rarely.MessagesLost = value;
    }

    /// <summary>Messages that full inboxes dropped.</summary>
    public long MessagesDropped
    {
        readonly get => _rare?.MessagesDropped ?? 0;
        set => Rarely.MessagesDropped = value;
    }

    private Rare Rarely => _rare ??= new Rare();

    /// <summary>Notes a loss; true for the first of its kind after ten seconds without one, which is logged.</summary>
    public bool BeginsEpisode(LossReason reason, Instant now)
    {
        Instant[] lastLoss = Rarely.LastLoss;
        Instant last = lastLoss[(int)reason];
        lastLoss[(int)reason] = now;
        return last == Instant.Zero || now - last > EpisodeGap;
    }

    /// <summary>True when an exception of user code is to be logged: at most once a second.</summary>
    public bool ReportsHandlerError(Instant now)
    {
        if (_rare is { } rare && now < rare.NextHandlerReport) return false;
        Rarely.NextHandlerReport = now + TimeSpan.FromSeconds(1);
        return true;
    }

    // What most groups never have.
    private sealed class Rare
    {
        public long MessagesLost;
        public long MessagesDropped;
        public Instant NextHandlerReport;

        public Instant[] LastLoss { get; } = new Instant[Reasons];
    }
}
