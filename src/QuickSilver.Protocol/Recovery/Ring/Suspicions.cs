using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// The members that a node finds silent by its own requests, over all its region views, and the number of episodes. An
/// episode counts once per member, however many hops were given up in it and however many views the two share.
/// <para>
/// A member is suspect once it has answered nothing for a second. A member that answers within a second, because it
/// starts, compiles or is busy, is not: hops are given up after a tenth of that time. An answer ends the episode, and
/// so does a removal. After ten seconds without a request the next silence is a new episode.
/// </para>
/// Cost: a comparison an answer while no member is silent; O(1) a hop given up. Core thread only.
/// </summary>
/// <param name="counters">Counts the episodes.</param>
internal sealed class Suspicions(RecoveryCounters counters)
{
    private static readonly TimeSpan Doubt = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(10);

    private readonly Dictionary<ulong, Silence> _silences = [];

    /// <summary>Number of members that are suspect now.</summary>
    public int Count { get; private set; }

    /// <summary>A member has answered none of the sends of a hop.</summary>
    /// <param name="member">Key of the member's number.</param>
    /// <param name="now">The time when the hop was given up.</param>
    public void OnUnanswered(ulong member, Instant now)
    {
        if (_silences.TryGetValue(member, out Silence silence) && now - silence.Last > LongestPause) OnAnswered(member);
        if (!_silences.TryGetValue(member, out silence)) silence.Since = now;
        silence.Last = now;
        if (!silence.IsSuspect && now - silence.Since >= Doubt)
        {
            silence.IsSuspect = true;
            Count++;
            counters.Suspicions++;
        }
        _silences[member] = silence;
    }

    /// <summary>A member has answered, in any view, or is removed.</summary>
    /// <param name="member">Key of the member's number.</param>
    public void OnAnswered(ulong member)
    {
        if (_silences.Count > 0 && _silences.Remove(member, out Silence silence) && silence.IsSuspect) Count--;
    }

    private struct Silence
    {
        public Instant Since;
        public Instant Last;
        public bool IsSuspect;
    }
}
