using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>
/// Limit on the packets that one member of a view requests again after unanswered requests, lowest first. Each repeated
/// request takes one off, down to a few. Each answer adds two, so that a member whose trouble has ended catches up ever
/// faster. While no request was answered for two seconds, all missing packets count as unanswered. O(1), core thread
/// only.
/// </summary>
internal sealed class RetryRoom
{
    private const long Least = 16;
    private const long Most = 2_048;

    private static readonly TimeSpan VainAfter = TimeSpan.FromSeconds(2);

    private Instant _unansweredSince;

    /// <summary>Number of packets that may be requested again.</summary>
    public long Packets { get; private set; } = Most;

    /// <summary>True while no request has been answered for a while.</summary>
    public bool IsVain(Instant now) => _unansweredSince != Instant.Zero && now - _unansweredSince >= VainAfter;

    /// <summary>Packets are requested.</summary>
    public void OnAsked(long packets, bool isRetry, Instant now)
    {
        if (_unansweredSince == Instant.Zero) _unansweredSince = now;
        if (IsVain(now)) Packets = Least;
        else if (isRetry) Packets = Math.Max(Least, Packets - packets);
    }

    /// <summary>A missing packet has come.</summary>
    public void OnAnswer()
    {
        _unansweredSince = Instant.Zero;
        Packets = Math.Min(Most, Packets + 2);
    }
}
