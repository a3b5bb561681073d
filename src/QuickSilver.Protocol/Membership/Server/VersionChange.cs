using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Finds the views that could run a newer version of the protocol, since older nodes have gone: their regions get new
/// views of the same members, with the next step. A region at its limit of unretired views waits until one has retired.
/// Core thread only. Cost: nothing while all nodes speak one newest version; else O(nodes of all views) for a step in
/// which an older node leaves or joins something.
/// </summary>
/// <param name="ledger">The views.</param>
/// <param name="nodes">The nodes.</param>
/// <param name="probes">Hooks of simulator tests.</param>
internal sealed class VersionChange(ViewLedger ledger, NodeTable nodes, Probes probes)
{
    private readonly List<ServerRegion> _due = [];

    /// <summary>True when a region can have a view of a newer version now: a step is wanted.</summary>
    public bool IsWanted => _due.Exists(static region => !region.IsAtLimit);

    /// <summary>Adds the regions that get a view of a newer version with this step.</summary>
    public void AddDue(List<ServerRegion> due)
    {
        for (int index = 0; index < _due.Count;)
        {
            ServerRegion region = _due[index];
            bool isBehind = region.Current is { } view && view.Version < ledger.NewestIn(view);
            if (isBehind && region.IsAtLimit)
            {
                probes.Reached("a region at its limit of views waits with a newer version");
                index++;
                continue;
            }
            if (isBehind)
            {
                probes.Reached("views switch to a newer version when the last older node has gone");
                due.Add(region);
            }
            _due.RemoveAt(index);
        }
    }

    /// <summary>A step is made: looks for views that it has left behind.</summary>
    /// <param name="moves">The nodes whose groups the step changes.</param>
    public void Look(List<NodeMove> moves)
    {
        if (!moves.Exists(move => move.Node.Versions.Newest < nodes.Newest)) return;
        foreach (ServerView view in ledger.Unretired)
        {
            bool isBehind = view.EndStep == 0 && view.Version < ledger.NewestIn(view);
            if (isBehind && !_due.Contains(view.Region)) _due.Add(view.Region);
        }
    }
}
