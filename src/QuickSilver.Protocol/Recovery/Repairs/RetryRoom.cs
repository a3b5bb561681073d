using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>
/// How many packets one member of a view asks for that it has asked for in vain: the lowest ones. Each that is asked for once more takes one off, down
/// to a few; each answer adds two, so that a member whose trouble has ended catches up ever faster. While nothing at all was answered for two seconds,
/// all that is missing counts as asked for in vain. O(1), core thread only.
/// </summary>
internal sealed class RetryRoom
{
    private const long Least = 16;
    private const long Most = 2_048;

    private static readonly TimeSpan VainAfter = TimeSpan.FromSeconds(2);

    private Instant _unansweredSince;

    /// <summary>How many packets may be asked for that were asked for in vain.</summary>
    public long Packets { get; private set; } = Most;

    /// <summary>True while nothing that was asked for has come for a while.</summary>
    public bool IsVain(Instant now) => _unansweredSince != Instant.Zero && now - _unansweredSince >= VainAfter;

    /// <summary>Packets are asked for.</summary>
    public void OnAsked(long packets, bool isRetry, Instant now)
    {
        if (_unansweredSince == Instant.Zero) _unansweredSince = now;
        if (IsVain(now)) Packets = Least;
        else if (isRetry) Packets = Math.Max(Least, Packets - packets);
    }

    /// <summary>A packet came that was missing.</summary>
    public void OnAnswer()
    {
        _unansweredSince = Instant.Zero;
        Packets = Math.Min(Most, Packets + 2);
    }
}
