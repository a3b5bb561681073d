using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// A member's own entry in the token's list of members that are behind. It is behind when it lacks packets older than
/// the token's cutoff. The entry names the cause and the number missing of its worst stream. At the end of a round the
/// leader adds the members that did not answer.
/// <para>
/// The cutoff is at least 20 ms and a round old, so a member that is only late is not listed. A member is reading
/// slowly when it has not read its socket up to the cutoff, or when its kernel lately dropped datagrams. Otherwise it
/// is losing packets. Where the application's handlers take most of its time, they are the cause of either.
/// </para>
/// <para>
/// Awkward case: a member that pauses repeatedly is waited for longer each time, so that it is not skipped. No round
/// ends meanwhile. When it wakes it lacks nothing that was old when the round began. The member that waited for it
/// lists it in the next round, with the time.
/// </para>
/// Cost: a few comparisons for each stream and visit; allocates nothing. Core thread only.
/// </summary>
internal sealed class OwnLag(RecoveryContext node, RegionState region)
{
    private static readonly TimeSpan DropsExplainLosses = TimeSpan.FromSeconds(2);

    private static readonly TimeSpan LateAnswer = TimeSpan.FromMilliseconds(150);

    // A slow member is visited seldom: the token waits for its turn to end.
    private static readonly TimeSpan BehindFor = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan ShareMeasuredOver = TimeSpan.FromMilliseconds(200);

    private TimeSpan _fastestAnswer = TimeSpan.MaxValue;
    private LagEntry _late;
    private Instant _droppedAt;
    private bool _hasDropped;
    private LagEntry _worst;
    private Instant _handlersFrom;
    private TimeSpan _handlersBefore;
    private Instant _behindAt;

    /// <summary>
    /// Since when each visit has found packets unread here that are old; never while the last one has not.
    /// </summary>
    public Instant BehindSince { get; private set; } = Instant.Never;

    /// <summary>True while the application's handlers take most of the time of the core thread.</summary>
    public bool IsHandling { get; private set; }

    /// <summary>The same, or false when no token has come for so long that it is not known.</summary>
    public bool IsKnownHandling(Instant now) => IsHandling && now - _handlersFrom <= BehindFor;

    /// <summary>True when this member does not read as fast as others send, by the last visit of a token.</summary>
    public bool IsBehind(Instant now) => BehindSince != Instant.Never && now - _behindAt <= BehindFor;

    /// <summary>Begins the visit of a token.</summary>
    /// <param name="newDrops">Datagrams that this member's kernel has dropped since the previous token.</param>
    /// <param name="now">The time of the visit.</param>
    public void Begin(ulong newDrops, Instant now)
    {
        if (newDrops > 0) _droppedAt = now;
        _hasDropped = _droppedAt != Instant.Zero && now - _droppedAt <= DropsExplainLosses;
        _worst = default;
        MeasureHandlers(now);
    }

    /// <summary>Checks a stream, before this member adds its feedback to the stream's record.</summary>
    public void Look(StreamReceiver stream, TokenStream record)
    {
        ulong held = stream.Contiguous;
        if (stream.Own is not null || held >= record.Cutoff) return;
        bool isUnread = stream.ReadPosition < record.Cutoff;
        Note(
            isUnread || _hasDropped ? LagCause.ReadingSlowly : LagCause.Losing,
            record.Highest - Math.Min(held, record.Highest));
    }

    /// <summary>This member has not begun a stream of the token, and holds nothing of it.</summary>
    public void OnNothingHeld(TokenStream record)
    {
        if (record.Cutoff > record.Cleanup) Note(LagCause.Losing, record.Highest - record.Cleanup);
    }

    /// <summary>A member has acknowledged a hop that this member sent.</summary>
    /// <param name="member">The index of the member in the view.</param>
    /// <param name="took">The time since the hop was first sent.</param>
    public void OnAnswered(int member, TimeSpan took)
    {
        if (took < _fastestAnswer) _fastestAnswer = took;
        // Where all members are far from each other, all answers take long.
        if (took < LateAnswer || took / 4 < _fastestAnswer) return;
        node.Probes.Reached("a member answers a hop so late that it must have stood still");
        LagEntry late = Late(member, took);
        if (late.Milliseconds > _late.Milliseconds) _late = late;
    }

    /// <summary>A member did not answer and is skipped in this round.</summary>
    /// <param name="member">The index of the member in the view.</param>
    /// <param name="waited">The time that this member waited for it.</param>
    /// <param name="token">The token that is passed on.</param>
    public void OnUnanswered(int member, TimeSpan waited, Token token)
    {
        if (waited >= LateAnswer && !region.View.Members[member].IsRemoved) token.Behind.Add(Late(member, waited));
    }

    /// <summary>Adds this member's entry, if it is behind.</summary>
    public void AddTo(Token token, Instant now)
    {
        bool isBehind = _worst.Packets > 0 && _worst.Cause != LagCause.Losing;
        if (!isBehind) BehindSince = Instant.Never;
        else if (!IsBehind(now)) BehindSince = now;
        if (isBehind) _behindAt = now;
        if (_late.Milliseconds > 0 && !region.View.Members[_late.Member].IsRemoved) token.Behind.Add(_late);
        _late = default;
        if (_worst.Packets == 0) return;
        if (_worst.Cause == LagCause.Handling)
            node.Probes.Reached("a member tells a token that its handlers take its time");
        else
            node.Probes.Reached(
                _worst.Cause == LagCause.Losing
                    ? "a member tells a token that it lacks packets it has read past"
                    : "a member tells a token that it has not read its socket far enough");
        token.Behind.Add(_worst);
    }

    /// <summary>At the end of a round, on the leader: completes the list of the members that are behind.</summary>
    /// <param name="token">The token of the round.</param>
    /// <param name="skipped">Members that did not answer in the round.</param>
    /// <param name="behind">The list to overwrite.</param>
    public void Conclude(Token token, List<int> skipped, LagList behind)
    {
        behind.CopyFrom(token.Behind);
        if (skipped.Count == 0) return;
        ulong unstable = 0;
        for (int index = 0; index < token.StreamCount; index++)
        {
            TokenStream record = token[index];
            if (record.IsOrphan) continue;
            unstable = Math.Max(unstable, record.Highest - Math.Min(record.Cleanup, record.Highest));
        }
        foreach (int member in skipped)
        {
            if (!region.View.Members[member].IsRemoved) behind.Add(new LagEntry(member, LagCause.Silent, unstable));
        }
    }

    private static LagEntry Late(int member, TimeSpan waited) =>
        new(member, LagCause.Late, 0, (uint)Math.Min(waited.TotalMilliseconds, uint.MaxValue));

    private void MeasureHandlers(Instant now)
    {
        if (node.HandlerTime is not { } handlerTime || now - _handlersFrom < ShareMeasuredOver) return;
        TimeSpan spent = handlerTime();
        IsHandling = _handlersFrom != Instant.Zero && (spent - _handlersBefore) * 2 > now - _handlersFrom;
        _handlersFrom = now;
        _handlersBefore = spent;
    }

    private void Note(LagCause cause, ulong packets)
    {
        var found = new LagEntry(region.Self, IsHandling ? LagCause.Handling : cause, packets);
        if (found.IsWorseThan(_worst)) _worst = found;
    }
}
