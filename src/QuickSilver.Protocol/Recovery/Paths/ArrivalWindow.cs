using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Recovery.Reception;

namespace QuickSilver.Protocol.Recovery.Paths;

/// <summary>What one stream's arrivals are judged by: what came and what is missing since an instant, and what its sender was told.</summary>
internal struct ArrivalWindow
{
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(5);

    private TimeSpan _pause;

    /// <summary>When it began; zero: not yet.</summary>
    public Instant Began;

    /// <summary><see cref="StreamReceiver.Direct"/> at that time.</summary>
    public ulong DirectBefore;

    /// <summary>Packets found missing since.</summary>
    public ulong Missed;

    /// <summary>When the sender may be told next.</summary>
    public Instant NextWord;

    /// <summary>How often the sender was told since.</summary>
    public int Words;

    /// <summary>Begins again: something arrives, or nothing is known.</summary>
    public void Restart(ulong direct, Instant now) => this = new ArrivalWindow { Began = now, DirectBefore = direct };

    /// <summary>The sender is told now.</summary>
    public void OnWord(Instant now)
    {
        Words++;
        TimeSpan doubled = _pause * 2;
        _pause = _pause == TimeSpan.Zero ? FirstPause : doubled < LongestPause ? doubled : LongestPause;
        NextWord = now + _pause;
    }
}
