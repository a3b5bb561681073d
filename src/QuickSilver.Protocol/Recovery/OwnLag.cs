using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery;

/// <summary>
/// What a member of a region view says of itself when a token visits it, if it is behind: that it lacks packets which are old enough to be called
/// missing (the token's cutoff), of which stream it lacks most, and why. At the end of a round the leader adds the members that did not answer.
/// <para>
/// The cutoff is at least 20 ms and a round old, so that who is only late is not named. A member that has not read its socket up to there reads
/// slowly; so does one whose kernel lately dropped what it left there. One that has read past what it lacks is losing packets.
/// </para>
/// <para>
/// Awkward case: a member that stands still again and again is waited for ever longer, so that it is not skipped; then no round ends meanwhile, and when
/// it wakes it lacks nothing that was old when the round began. Whoever waited for it names it in the next round, with the time.
/// </para>
/// Cost: a few comparisons for each stream and visit; allocates nothing. Core thread only.
/// </summary>
internal sealed class OwnLag(Recoverer node, RegionRecovery region)
{
    private static readonly TimeSpan DropsExplainLosses = TimeSpan.FromSeconds(2);

    private static readonly TimeSpan LateAnswer = TimeSpan.FromMilliseconds(150);

    private TimeSpan _fastestAnswer = TimeSpan.MaxValue;
    private LagEntry _late;
    private Instant _droppedAt;
    private bool _hasDropped;
    private LagEntry _worst;

    /// <summary>A token is here.</summary>
    /// <param name="newDrops">Datagrams that this member's kernel has dropped since the token before.</param>
    /// <param name="now">The present instant.</param>
    public void Begin(ulong newDrops, Instant now)
    {
        if (newDrops > 0) _droppedAt = now;
        _hasDropped = _droppedAt != Instant.Zero && now - _droppedAt <= DropsExplainLosses;
        _worst = default;
    }

    /// <summary>Looks at a stream, before this member has given its word on it.</summary>
    public void Look(StreamReceiver stream, TokenStream record)
    {
        ulong held = stream.Contiguous;
        if (stream.Own is not null || held >= record.Cutoff) return;
        bool isUnread = stream.ReadPosition < record.Cutoff;
        Note(isUnread || _hasDropped ? LagCause.ReadingSlowly : LagCause.Losing, record.Highest - Math.Min(held, record.Highest));
    }

    /// <summary>This member takes no part in a stream, and holds nothing of it.</summary>
    public void OnNothingHeld(TokenStream record)
    {
        if (record.Cutoff > record.Cleanup) Note(LagCause.Losing, record.Highest - record.Cleanup);
    }

    /// <summary>A member has acknowledged a hop of this one's.</summary>
    /// <param name="member">Its index.</param>
    /// <param name="took">How long after the hop was sent first.</param>
    public void OnAnswered(int member, TimeSpan took)
    {
        if (took < _fastestAnswer) _fastestAnswer = took;
        // Where all are far from each other, all answers take long.
        if (took < LateAnswer || took / 4 < _fastestAnswer) return;
        node.Probes.Hit(Mark.MemberAnswersLate);
        LagEntry late = Late(member, took);
        if (late.Milliseconds > _late.Milliseconds) _late = late;
    }

    /// <summary>A member was waited for in vain, and is left out of the round.</summary>
    /// <param name="member">Its index.</param>
    /// <param name="waited">For how long.</param>
    /// <param name="token">The token in hand.</param>
    public void OnUnanswered(int member, TimeSpan waited, Token token)
    {
        if (waited >= LateAnswer && !region.View.Members[member].IsRemoved) token.Behind.Add(Late(member, waited));
    }

    /// <summary>Adds this member to those that are behind, if it is.</summary>
    public void AddTo(Token token)
    {
        if (_late.Milliseconds > 0 && !region.View.Members[_late.Member].IsRemoved) token.Behind.Add(_late);
        _late = default;
        if (_worst.Packets == 0) return;
        node.Probes.Hit(_worst.Cause == LagCause.Losing ? Mark.MemberLosing : Mark.MemberReadsSlowly);
        token.Behind.Add(_worst);
    }

    /// <summary>Leader, at the end of a round: who is behind.</summary>
    /// <param name="token">The token.</param>
    /// <param name="skipped">Members that did not answer in it.</param>
    /// <param name="behind">Made new.</param>
    public void Conclude(Token token, List<int> skipped, LagList behind)
    {
        behind.CopyFrom(token.Behind);
        if (skipped.Count == 0) return;
        ulong unstable = 0;
        for (int index = 0; index < token.StreamCount; index++)
        {
            TokenStream record = token[index];
            if (!record.IsOrphan) unstable = Math.Max(unstable, record.Highest - Math.Min(record.Cleanup, record.Highest));
        }
        foreach (int member in skipped)
        {
            if (!region.View.Members[member].IsRemoved) behind.Add(new LagEntry(member, LagCause.Silent, unstable));
        }
    }

    private static LagEntry Late(int member, TimeSpan waited) =>
        new(member, LagCause.Silent, 0, (uint)Math.Min(waited.TotalMilliseconds, uint.MaxValue));

    private void Note(LagCause cause, ulong packets)
    {
        var found = new LagEntry(region.Self, cause, packets);
        if (found.IsWorseThan(_worst)) _worst = found;
    }
}
