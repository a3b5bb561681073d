using System.Diagnostics;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>The epoch of all numbers that a server assigns. Fixed from the server's first answer on.</summary>
/// <param name="epoch">The server's epoch.</param>
/// <param name="instance">The cluster instance.</param>
internal sealed class ServerEpoch(Epoch epoch, ulong instance)
{
    // Two servers may follow the same one, when the second does not know of the first. Their random ids make different
    // terms likely. Elected servers have terms of their own.
    private const ulong TermsToChooseFrom = 251;

    /// <summary>Epoch of the steps, views, regions and node numbers that this server assigns.</summary>
    public Epoch Epoch { get; private set; } = epoch;

    /// <summary>True when the next term belongs to another election.</summary>
    public bool IsUsedUp => IsElected && Math.Max(Epoch.Term, GivenUp) % ServingLease.TermsOfEach
        == ServingLease.TermsOfEach - 1;

    /// <summary>Epoch of all group ids: that of the first server of the cluster instance.</summary>
    public Epoch GroupEpoch { get; private set; } = epoch;

    /// <summary>Number of terms since the first server's.</summary>
    public ulong TermsPassed => Epoch.Term - GroupEpoch.Term;

    /// <summary>True when an election has given the server's terms to it alone.</summary>
    public bool IsElected { get; init; }

    /// <summary>Term of the cluster that this server has given up, if any step was made in it; otherwise 0.</summary>
    public ulong GivenUp { get; init; }

    /// <summary>The instance of the cluster that this server has given up; 0: none.</summary>
    public ulong GivenUpInstance { get; init; }

    /// <summary>The cluster instance that datagrams carry.</summary>
    public ulong Instance { get; private set; } = instance;

    /// <summary>Follows the epoch of a lost server, and that of a cluster that this server has given up.</summary>
    public void Follow(Epoch lost, Epoch groupEpoch, ulong instance)
    {
        Debug.Assert(!IsElected || (lost.Term < Epoch.Term && !IsUsedUp), "terms only rise");
        Epoch = new Epoch(
            IsElected
                ? Math.Max(Epoch.Term, GivenUp) + 1
                : Math.Max(lost.Term, GivenUp) + 1 + (Epoch.Server % TermsToChooseFrom),
            Epoch.Server);
        GroupEpoch = groupEpoch;
        Instance = instance;
    }
}
