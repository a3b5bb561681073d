using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>What all numbers that a server gives out begin with. Fixed from the server's first answer on.</summary>
/// <param name="epoch">The server's epoch.</param>
/// <param name="instance">The cluster instance.</param>
internal sealed class Reign(Epoch epoch, ulong instance)
{
    /// <summary>Epoch of the steps, views, regions and node numbers that this server gives out.</summary>
    public Epoch Epoch { get; private set; } = epoch;

    /// <summary>Epoch of all group ids: that of the first server of the cluster instance.</summary>
    public Epoch GroupEpoch { get; private set; } = epoch;

    /// <summary>The cluster instance that datagrams carry.</summary>
    public ulong Instance { get; private set; } = instance;

    /// <summary>Follows the reign of a lost server.</summary>
    public void Follow(Epoch lost, Epoch groupEpoch, ulong instance)
    {
        Epoch = new Epoch(lost.Term + 1, Epoch.Server);
        GroupEpoch = groupEpoch;
        Instance = instance;
    }
}
