using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Tells nodes whether a monitor is open: whether <see cref="StatisticsGroup"/> has a member. Each node is told of the
/// first monitor and of the end of the last, and of one that is open when it registers. While there is none, nothing is
/// sent.
/// <para>
/// After a takeover the former server's word stands. If a monitor has come with the survivors, all are told so after
/// the first step. If none has, those that publish to the group are told to cease: no others act by the word.
/// </para>
/// Core thread only.
/// </summary>
/// <param name="nodes">The registered nodes.</param>
/// <param name="groups">The groups.</param>
internal sealed class MonitorNotices(NodeTable nodes, ServerGroups groups)
{
    private static readonly byte[] Opened = [(byte)FrameKind.Monitored, 1];
    private static readonly byte[] Closed = [(byte)FrameKind.Monitored, 0];

    private bool _isOpen;

    /// <summary>A step was made. Costs one lookup while no monitor is open and nobody publishes statistics.</summary>
    public void OnStep()
    {
        ServerGroup? group = groups.Find(StatisticsGroup.Name);
        bool isOpen = group is { Regions: not null };
        bool hasChanged = isOpen != _isOpen;
        _isOpen = isOpen;
        if (hasChanged)
        {
            foreach (ServerNode node in nodes.Live)
            {
                if (isOpen || node.ToldMonitored == true) Tell(node, isOpen);
            }
        }
        if (isOpen || group is null) return;
        foreach (ServerNode node in group.Publishers)
        {
            if (!node.Info.IsRemoved) Tell(node, isOpen: false);
        }
    }

    /// <summary>A node has been admitted or taken over, and has its welcome.</summary>
    public void OnAdmitted(ServerNode node)
    {
        if (_isOpen) Tell(node, isOpen: true);
    }

    private static byte[] FrameOf(bool isOpen) => isOpen ? Opened : Closed;

    private void Tell(ServerNode node, bool isOpen)
    {
        Debug.Assert(!node.Info.IsRemoved, "removed nodes are told nothing");
        if (!node.TakesMonitored || node.ToldMonitored == isOpen) return;
        node.ToldMonitored = isOpen;
        nodes.Send(node, FrameOf(isOpen));
    }
}
