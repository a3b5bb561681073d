using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Finds the views that could run a newer version of the protocol or have a better cipher, since lesser nodes have
/// gone: their regions get new views of the same members, with the next step. A region at its limit of unretired views
/// waits until one has retired. Core thread only. Cost: nothing while all nodes have one newest version and one best
/// cipher; else O(nodes of all views) for a step in which a lesser node leaves or joins something.
/// </summary>
/// <param name="ledger">The views.</param>
/// <param name="nodes">The nodes.</param>
/// <param name="probes">Hooks of simulator tests.</param>
internal sealed class VersionChange(ViewLedger ledger, NodeTable nodes, Probes probes)
{
    private readonly List<ServerRegion> _due = [];

    /// <summary>True when a region can have a better view now: a step is wanted.</summary>
    public bool IsWanted => _due.Exists(static region => !region.IsAtLimit);

    /// <summary>Adds the regions that get a better view with this step.</summary>
    public void AddDue(List<ServerRegion> due)
    {
        for (int index = 0; index < _due.Count;)
        {
            ServerRegion region = _due[index];
            bool isBehind = region.Current is { } view && ledger.IsBehind(view);
            if (isBehind && region.IsAtLimit)
            {
                probes.Reached("a region at its limit of views waits with a newer version");
                index++;
                continue;
            }
            if (isBehind)
            {
                probes.Reached(
                    region.Current!.Version < ledger.NewestIn(region.Current)
                        ? "views switch to a newer version when the last older node has gone"
                        : "views switch to a better cipher when the last node without it has gone");
                due.Add(region);
            }
            _due.RemoveAt(index);
        }
    }

    /// <summary>A step is made: looks for views that it has left behind.</summary>
    /// <param name="moves">The nodes whose groups the step changes.</param>
    public void Look(List<NodeMove> moves)
    {
        if (!moves.Exists(move => IsLesser(move.Node))) return;
        foreach (ServerView view in ledger.Unretired)
        {
            bool isBehind = view.EndStep == 0 && ledger.IsBehind(view);
            if (isBehind && !_due.Contains(view.Region)) _due.Add(view.Region);
        }
    }

    private bool IsLesser(ServerNode node) =>
        node.Versions.Newest < nodes.Newest || node.Ciphers.Preferred < nodes.Ciphers.Best;
}
