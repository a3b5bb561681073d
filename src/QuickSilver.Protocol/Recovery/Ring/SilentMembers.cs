using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// The members of one view that do not answer the ring, by this member's own requests and by the skipped members that
/// tokens list. A finding holds for two seconds, in which a round runs while anything is unstable. Then it must be
/// found again.
/// When many members are silent at once, each is waited for in turn, and a round takes longer. Then a finding of this
/// member's own holds for one and a half rounds. An answer, even a late one, ends such a finding. Core thread only; all
/// O(1) except the collection.
/// </summary>
internal sealed class SilentMembers(int members)
{
    /// <summary>How long a finding holds, at least.</summary>
    public static readonly TimeSpan GoodFor = TimeSpan.FromSeconds(2);

    private const int EnoughSkips = 2;
    private static readonly TimeSpan LongestRound = TimeSpan.FromSeconds(10);

    private readonly Finding[] _findings = new Finding[members];
    private Instant _roundAt;
    private TimeSpan _ownGoodFor = GoodFor;
    private bool _hasSkips;

    /// <summary>
    /// Data is unstable after a time without rounds, so the time since the last round is not a round's.
    /// </summary>
    public void OnBegun() => _roundAt = Instant.Zero;

    /// <summary>A new round begins here, or has come here.</summary>
    public void OnRound(Instant now)
    {
        TimeSpan took = _roundAt == Instant.Zero ? TimeSpan.Zero : now - _roundAt;
        TimeSpan half = (took < LongestRound ? took : LongestRound) / 2;
        _ownGoodFor = half * 3 > GoodFor ? half * 3 : GoodFor;
        _roundAt = now;
    }

    /// <summary>A member has answered none of the sends of one hop.</summary>
    public void OnUnanswered(int member, Instant now)
    {
        ref Finding finding = ref _findings[member];
        if (finding.Skips == 0 || now - finding.LastSkip > _ownGoodFor)
        {
            finding.Skips = 0;
            finding.Since = now;
        }
        if (finding.Skips < byte.MaxValue) finding.Skips++;
        finding.LastSkip = now;
        _hasSkips = true;
    }

    /// <summary>A member has answered, in time or late.</summary>
    public void OnAnswered(int member) => _findings[member].Skips = 0;

    /// <summary>A round has visited every member: those that did not answer here have answered others.</summary>
    public void OnAllVisited()
    {
        if (!_hasSkips) return;
        _hasSkips = false;
        for (int member = 0; member < _findings.Length; member++) _findings[member].Skips = 0;
    }

    /// <summary>A token lists the members that were skipped in its round.</summary>
    public void OnListed(List<int> skipped, Instant now)
    {
        foreach (int member in skipped) _findings[member].LastListed = now;
    }

    /// <summary>True while a member may be found silent by this one.</summary>
    public bool HasSkips => _hasSkips;

    /// <summary>Adds the findings that hold now to the observations.</summary>
    public void Collect(RegionView view, NodeObservations observed, Instant now)
    {
        for (int member = 0; member < _findings.Length; member++)
        {
            ref Finding finding = ref _findings[member];
            bool isOwn = finding.Skips >= EnoughSkips && now - finding.LastSkip <= _ownGoodFor;
            bool isListed = finding.LastListed != Instant.Zero && now - finding.LastListed <= GoodFor;
            if ((!isOwn && !isListed) || view.Members[member].IsRemoved) continue;
            TimeSpan silentFor = isOwn ? finding.LastSkip - finding.Since : TimeSpan.Zero;
            observed.Silent.Add(new SilentMember(view.Members[member].Number.Key, silentFor, isOwn));
        }
    }

    private struct Finding
    {
        public Instant Since;
        public Instant LastSkip;
        public Instant LastListed;
        public byte Skips;
    }
}
