using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>
/// The counts by which one stream's arrivals are judged: packets that came and packets missing since a time, and
/// reports to the sender.
/// </summary>
internal struct ArrivalWindow
{
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(5);

    private TimeSpan _pause;

    /// <summary>Time when the counts began; zero: not yet.</summary>
    public Instant Began;

    /// <summary><see cref="StreamReceiver.Direct"/> at that time.</summary>
    public ulong DirectBefore;

    /// <summary>Packets found missing since then.</summary>
    public ulong Missed;

    /// <summary>Earliest time of the next report to the sender.</summary>
    public Instant NextWord;

    /// <summary>Number of reports to the sender since then.</summary>
    public int Words;

    /// <summary>Starts the counts again: packets arrive, or nothing is known.</summary>
    public void Restart(ulong direct, Instant now) => this = new ArrivalWindow { Began = now, DirectBefore = direct };

    /// <summary>The sender is notified now.</summary>
    public void OnWord(Instant now)
    {
        Words++;
        TimeSpan doubled = _pause * 2;
        _pause = _pause == TimeSpan.Zero ? FirstPause : doubled < LongestPause ? doubled : LongestPause;
        NextWord = now + _pause;
    }
}
