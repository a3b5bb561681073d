using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Paths;

/// <summary>
/// The way from one node to this one: the measured limit on its datagrams, and the measurement under way.
/// </summary>
/// <param name="from">The node that sends.</param>
internal sealed class InboundPath(NodeInfo from)
{
    private readonly int[] _lengths = new int[PathAnswerBody.MaxFillers];
    private readonly int[] _arrived = new int[PathAnswerBody.MaxFillers];
    private int _count;
    private uint _nonce;
    private uint _firstNonce;

    /// <summary>The activities on a way.</summary>
    public enum Phase : byte
    {
        /// <summary>No activity.</summary>
        Idle,

        /// <summary>Fillers are requested, round after round.</summary>
        Asking,

        /// <summary>The result is reported to the node until it confirms.</summary>
        Reporting,
    }

    /// <summary>The node at the other end.</summary>
    public NodeInfo From => from;

    /// <summary>The longest of its datagrams that arrives; 0 when all do, as far as is known.</summary>
    public int Longest { get; set; }

    /// <summary>The longest datagram that the node would send.</summary>
    public int Full => _count > 0 ? _lengths[0] : 0;

    /// <summary>The present activity.</summary>
    public Phase State { get; set; }

    /// <summary>True when a narrow way is measured again, to see whether it has become wider.</summary>
    public bool IsRetry { get; set; }

    /// <summary>Number of queries sent since the measurement, or the report, began.</summary>
    public int Sends { get; private set; }

    /// <summary>Number of rounds answered and judged.</summary>
    public int Rounds { get; set; }

    /// <summary>True when the answer of the present round has come; fillers may still be on their way.</summary>
    public bool IsAnswered { get; set; }

    /// <summary>Time of the next action.</summary>
    public Instant DueAt { get; set; } = Instant.Never;

    /// <summary>Time until which suspicions are ignored.</summary>
    public Instant NotBefore { get; set; }

    /// <summary>The next pause between two measurements that find nothing.</summary>
    public TimeSpan Pause { get; set; }

    /// <summary>Packets received from the node when a narrow way was last considered.</summary>
    public ulong HeardThen { get; set; }

    /// <summary>Time since which no filler arrives, though the node answers; zero: some do.</summary>
    public Instant BlockedSince { get; set; }

    /// <summary>Time when that was last found.</summary>
    public Instant BlockedAt { get; set; }

    /// <summary>Time when a packet of this way was last found stuck.</summary>
    public Instant StuckAt { get; set; }

    /// <summary>True when a packet has come by the way since the measurement began.</summary>
    public bool HasPacket { get; set; }

    /// <summary>Begins a measurement.</summary>
    public void Begin(bool isRetry, Instant now)
    {
        HasPacket = false;
        Enter(Phase.Asking, now);
        IsRetry = isRetry;
        Rounds = 0;
        IsAnswered = false;
        _count = 0;
    }

    /// <summary>Begins to report the result to the node.</summary>
    public void BeginReporting(Instant now) => Enter(Phase.Reporting, now);

    /// <summary>Counts a query that leaves.</summary>
    /// <returns>The query's nonce. Each way counts its own: several ways may be measured at one time, without taking
    /// each other's answers.</returns>
    public uint TakeNonce()
    {
        Sends++;
        return _nonce++;
    }

    /// <summary>True when a nonce belongs to this measurement.</summary>
    public bool IsOwn(uint nonce) => State != Phase.Idle && nonce - _firstNonce < (uint)Sends;

    /// <summary>A filler of this length has arrived.</summary>
    public void OnFiller(int length)
    {
        int index = Find(length);
        if (index >= 0) _arrived[index]++;
    }

    /// <summary>A filler of this length was sent.</summary>
    public void OnSent(int length) => Find(length);

    /// <summary>True when a datagram of the full length has arrived.</summary>
    public bool HasFull => _count > 0 && _arrived[0] > 0;

    /// <summary>True when a filler has arrived.</summary>
    public bool HasAny => _arrived.AsSpan(0, _count).ContainsAnyExcept(0);

    /// <summary>
    /// The longest length of which most fillers arrived. If there is none, the longest of which any did; 0 when none
    /// arrived.
    /// </summary>
    public int FindLongest()
    {
        int any = 0;
        for (int index = 0; index < _count; index++)
        {
            if (_arrived[index] * 2 > Rounds) return _lengths[index];
            if (any == 0 && _arrived[index] > 0) any = _lengths[index];
        }
        return any;
    }

    /// <summary>True when all fillers of this length arrived, in all rounds.</summary>
    public bool HasAllOf(int length) => _arrived[Find(length)] >= Rounds;

    private void Enter(Phase state, Instant now)
    {
        State = state;
        _firstNonce = _nonce;
        Sends = 0;
        DueAt = now;
    }

    // Lengths are kept in falling order, whether fillers or the answer come first.
    private int Find(int length)
    {
        int index = 0;
        while (index < _count && _lengths[index] > length) index++;
        if (index < _count && _lengths[index] == length) return index;
        if (_count == _lengths.Length) return -1;
        Array.Copy(_lengths, index, _lengths, index + 1, _count - index);
        Array.Copy(_arrived, index, _arrived, index + 1, _count - index);
        _lengths[index] = length;
        _arrived[index] = 0;
        _count++;
        return index;
    }
}
