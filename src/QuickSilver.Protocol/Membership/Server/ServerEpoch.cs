using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>What all numbers that a server gives out begin with. Fixed from the server's first answer on.</summary>
/// <param name="epoch">The server's epoch.</param>
/// <param name="instance">The cluster instance.</param>
internal sealed class ServerEpoch(Epoch epoch, ulong instance)
{
    // Two servers may follow the same one, when nobody told the second of the first. That they take different terms is left to their random ids.
    private const ulong TermsToChooseFrom = 251;

    /// <summary>Epoch of the steps, views, regions and node numbers that this server gives out.</summary>
    public Epoch Epoch { get; private set; } = epoch;

    /// <summary>Epoch of all group ids: that of the first server of the cluster instance.</summary>
    public Epoch GroupEpoch { get; private set; } = epoch;

    /// <summary>How many terms have begun since the first server's.</summary>
    public ulong TermsPassed => Epoch.Term - GroupEpoch.Term;

    /// <summary>Term of the cluster that this server has given up, if any step was made in it; else 0.</summary>
    public ulong GivenUp { get; init; }

    /// <summary>The instance of the cluster that this server has given up; 0: none.</summary>
    public ulong GivenUpInstance { get; init; }

    /// <summary>The cluster instance that datagrams carry.</summary>
    public ulong Instance { get; private set; } = instance;

    /// <summary>Follows the server epoch of a lost server, and of a cluster that this server has given up.</summary>
    public void Follow(Epoch lost, Epoch groupEpoch, ulong instance)
    {
        Epoch = new Epoch(Math.Max(lost.Term, GivenUp) + 1 + (Epoch.Server % TermsToChooseFrom), Epoch.Server);
        GroupEpoch = groupEpoch;
        Instance = instance;
    }
}
