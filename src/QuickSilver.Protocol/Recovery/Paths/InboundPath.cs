using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Paths;

/// <summary>The way from one node to this one: how long its datagrams may be, as far as it was measured, and what is being measured.</summary>
/// <param name="from">The node.</param>
internal sealed class InboundPath(NodeInfo from)
{
    private readonly int[] _lengths = new int[PathAnswerBody.MaxFillers];
    private readonly int[] _arrived = new int[PathAnswerBody.MaxFillers];
    private int _count;
    private uint _nonce;
    private uint _firstNonce;

    /// <summary>What goes on.</summary>
    public enum Phase : byte
    {
        /// <summary>Nothing.</summary>
        Idle,

        /// <summary>Fillers are asked for, round after round.</summary>
        Asking,

        /// <summary>The node is told what was found, until it confirms.</summary>
        Telling,
    }

    /// <summary>The node at the other end.</summary>
    public NodeInfo From => from;

    /// <summary>The longest of its datagrams that arrives; 0: all do, as far as is known.</summary>
    public int Longest { get; set; }

    /// <summary>The longest that it would send.</summary>
    public int Full => _count > 0 ? _lengths[0] : 0;

    /// <summary>What goes on.</summary>
    public Phase State { get; set; }

    /// <summary>True when a narrow way is looked at again, to see whether it has become wider.</summary>
    public bool IsRetry { get; set; }

    /// <summary>How many queries were sent since the measurement, or the telling, began.</summary>
    public int Sends { get; private set; }

    /// <summary>How many rounds were answered and judged.</summary>
    public int Rounds { get; set; }

    /// <summary>True when the answer of the present round has come; fillers may still be on their way.</summary>
    public bool IsAnswered { get; set; }

    /// <summary>When there is something to do.</summary>
    public Instant DueAt { get; set; } = Instant.Never;

    /// <summary>Until then a suspicion is not looked into.</summary>
    public Instant NotBefore { get; set; }

    /// <summary>How long the next pause between two measurements is that find nothing.</summary>
    public TimeSpan Pause { get; set; }

    /// <summary>How much had come from the node when a narrow way was last thought of.</summary>
    public ulong HeardThen { get; set; }

    /// <summary>Since when datagrams of no length arrive, though the node answers; zero: some do.</summary>
    public Instant BlockedSince { get; set; }

    /// <summary>When that was last found.</summary>
    public Instant BlockedAt { get; set; }

    /// <summary>When a packet was last found stuck that comes by this way.</summary>
    public Instant StuckAt { get; set; }

    /// <summary>Begins a measurement.</summary>
    public void Begin(bool isRetry, Instant now)
    {
        Enter(Phase.Asking, now);
        IsRetry = isRetry;
        Rounds = 0;
        IsAnswered = false;
        _count = 0;
    }

    /// <summary>What was found is to be told to the node.</summary>
    public void BeginTelling(Instant now) => Enter(Phase.Telling, now);

    /// <summary>A query leaves.</summary>
    /// <returns>
    /// Its nonce. Each way counts its own: several ways are measured at one time, and none takes another's answers.
    /// </returns>
    public uint TakeNonce()
    {
        Sends++;
        return _nonce++;
    }

    /// <summary>True when a nonce is one of this measurement.</summary>
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
    /// The longest length of which most fillers arrived, or if there is none, of which any did; 0 when nothing arrived.
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

    // Lengths are kept in falling order, whichever of fillers and answer comes first.
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
