using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed;

/// <summary>
/// The contract of a timed group at one node: how fast it sends, how long messages are worth anything, how it is asked
/// for packets. Buffers and timers follow from it. Defaults are those of the public options.
/// </summary>
internal sealed record TimedSettings : ModeSettings
{
    /// <summary>Factor of the time to live for messages of low importance.</summary>
    public const double LowFactor = 0.1;

    /// <summary>Factor of the time to live for messages of high importance.</summary>
    public const double HighFactor = 3;

    /// <summary>The longest message that any node sends.</summary>
    public const int LongestMessage = 1 << 20;

    /// <summary>The fewest packets that are kept.</summary>
    public const int LeastKept = 64;

    /// <summary>The most packets that are kept, for each sender.</summary>
    public const int MostKept = 1 << 16;

    // What a packet carries of a message where datagrams are as short as they get.
    private const int LeastFragment = 900;

    /// <summary>
    /// How long a message of normal importance is worth anything: kept by its sender, asked for, delivered.
    /// </summary>
    public TimeSpan TimeToLive { get; init; } = TimeSpan.FromSeconds(3);

    /// <summary>The packets that a sender sends in a second, at most: buffers are made for them.</summary>
    public int PacketsPerSecond { get; init; } = 400;

    /// <summary>The bytes that this node sends to the group in a second, at most, repairs included.</summary>
    public long BytesPerSecond { get; init; } = 8 << 20;

    /// <summary>
    /// The messages that this node sends to the group in a second, at most; 0: no limit. The paper's limit counts
    /// messages, the default counts bytes.
    /// </summary>
    public int MessagesPerSecond { get; init; }

    /// <summary>Packets that may leave at once after a pause.</summary>
    public int BurstPackets { get; init; } = 16;

    /// <summary>The longest datagram, header included.</summary>
    public int DatagramBytes { get; init; } = 1280;

    /// <summary>The law of the waits before requests.</summary>
    public NakTimers NakTimers { get; init; }

    /// <summary>The longest wait before a first request, in round trips of the group.</summary>
    public double NakRoundTrips { get; init; } = 4;

    /// <summary>
    /// A packet is late, not lost, for this long: it is not asked for before. The paper has no such time.
    /// </summary>
    public TimeSpan Grace { get; init; } = TimeSpan.FromMilliseconds(1);

    /// <summary>
    /// How long a missing packet with a key waits for a newer message with the key before it is asked for; zero: as for
    /// other packets.
    /// </summary>
    public TimeSpan ReplacementWait { get; init; } = TimeSpan.FromMilliseconds(50);

    /// <summary>True: a newer message with a key takes the place of older ones.</summary>
    public bool Replaces { get; init; } = true;

    /// <summary>
    /// True: a keyed message is delivered when it comes, if none newer with its key was; others keep their sender's
    /// order.
    /// </summary>
    public bool LatestOnly { get; init; }

    /// <summary>True: members answer requests for packets of others that they hold.</summary>
    public bool PartnersRepair { get; init; } = true;

    /// <summary>True: a packet that cannot come in time is not asked for.</summary>
    public bool MindsDeadlines { get; init; } = true;

    /// <summary>The round trip that is assumed before one is measured.</summary>
    public TimeSpan FirstRoundTrip { get; init; } = TimeSpan.FromMilliseconds(1);

    /// <summary>The longest message that this node sends.</summary>
    public int MaxMessageBytes { get; init; } = 64 << 10;

    /// <summary>
    /// Packets kept for each sender, a power of two: the contract's rate for as long as messages of high importance
    /// live, and at least two of the longest messages.
    /// </summary>
    public int KeptPackets()
    {
        double lasting = PacketsPerSecond * TimeToLive.TotalSeconds * HighFactor;
        double needed = Math.Max(lasting, 2.0 * MaxMessageBytes / LeastFragment);
        return (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)Math.Clamp(needed, LeastKept, MostKept));
    }

    /// <summary>How long a message lives.</summary>
    /// <param name="importance">Its importance.</param>
    /// <param name="life">Its own time to live; zero: by its importance.</param>
    public TimeSpan LifeOf(byte importance, TimeSpan life) =>
        TimedHead.Round(life > TimeSpan.Zero ? life : LifeOf((int)importance));

    /// <summary>How long a packet lives of which only its worth is known.</summary>
    public TimeSpan LifeOf(int worth) => worth switch
    {
        Importance.Low => TimeToLive * LowFactor,
        Importance.High => TimeToLive * HighFactor,
        _ => TimeToLive,
    };
}
