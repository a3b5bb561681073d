using System.Diagnostics;

namespace QuickSilver.Protocol.Membership.Voting;

/// <summary>
/// The processes whose majority decides who serves a cluster. While it changes, the former voters decide as well: a
/// majority of both is needed, so no two disjoint majorities exist. Immutable.
/// </summary>
/// <param name="Instance">Drawn by the founder: two clusters of one name have different ones.</param>
/// <param name="Version">Its place in the order of the cluster's electorates.</param>
/// <param name="Voters">The voters; the first one decides when the votes are equal.</param>
/// <param name="Former">The voters of the electorate before; empty when the change is over.</param>
internal sealed record Electorate(
    ulong Instance, ElectorateVersion Version, IReadOnlyList<VoterInfo> Voters, IReadOnlyList<VoterInfo> Former)
{
    /// <summary>The largest number of voters.</summary>
    public const int MaxVoters = 1_000;

    /// <summary>True while former voters decide as well.</summary>
    public bool IsJoint => Former.Count > 0;

    /// <summary>All voters, each once.</summary>
    public IEnumerable<VoterInfo> All => IsJoint ? Voters.Concat(Former).DistinctBy(static one => one.Id) : Voters;

    /// <summary>True when a life of a process votes.</summary>
    public bool Has(ulong id) => All.Any(voter => voter.Id == id);

    /// <summary>True when some voters are enough to decide.</summary>
    public bool IsMajority(IReadOnlySet<ulong> ids) => IsMajority(Voters, ids) && (!IsJoint || IsMajority(Former, ids));

    /// <summary>The same voters, in the hands of a server of a later term.</summary>
    public Electorate InTerm(long term)
    {
        Debug.Assert(term > Version.Term || Version == new ElectorateVersion(term, 0), "terms only rise");
        return this with { Version = new ElectorateVersion(term, 0) };
    }

    /// <summary>The electorate by which this one begins to change to other voters.</summary>
    public Electorate ChangeTo(IReadOnlyList<VoterInfo> voters)
    {
        Debug.Assert(!IsJoint, "one change at a time");
        return this with { Version = Next, Voters = voters, Former = Voters };
    }

    /// <summary>The electorate by which the change ends, after a majority of both has taken it.</summary>
    public Electorate Settle()
    {
        Debug.Assert(IsJoint, "a change is to end");
        return this with { Version = Next, Former = [] };
    }

    /// <summary>The electorate by which the change is given up. Only its own server may, before any majority of both
    /// has taken it: nobody else can then have gone on to its end.</summary>
    public Electorate Revert()
    {
        Debug.Assert(IsJoint, "a change is given up");
        return this with { Version = Next, Voters = Former, Former = [] };
    }

    private ElectorateVersion Next => Version with { Change = Version.Change + 1 };

    private static bool IsMajority(IReadOnlyList<VoterInfo> voters, IReadOnlySet<ulong> ids)
    {
        int all = 0;
        int given = 0;
        foreach (VoterInfo voter in voters)
        {
            all += voter.Weight;
            if (ids.Contains(voter.Id)) given += voter.Weight;
        }
        return given * 2 > all || (given * 2 == all && ids.Contains(voters[0].Id));
    }
}
