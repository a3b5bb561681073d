namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Decides whose word counts about a node. An admitted node is not a member: a node is concerned by another only if
/// datagrams pass between the two. Both are in a view that has not retired, or one sends to a view of the other.
/// <para>
/// An identity counts once. Several nodes of one certificate are one voice about a node of another certificate. Nodes
/// with the identity of the accused count one by one, and so do nodes of a cluster without certificates: they are of
/// one owner.
/// </para>
/// Core thread only.
/// </summary>
/// <param name="parts">The server's state.</param>
internal sealed class Concern(ServerParts parts)
{
    private const int Enough = 2;

    private readonly HashSet<ServerNode> _others = [];

    /// <summary>
    /// The nodes that a node may judge. The set is valid until the next call. O(unretired views), and the members and
    /// senders of its own.
    /// </summary>
    public IReadOnlySet<ServerNode> Of(ServerNode node)
    {
        _others.Clear();
        parts.Inherited.AddConcerned(node, _others);
        foreach (ServerView view in parts.Ledger.Unretired)
        {
            if (!view.Permitted.Contains(node.Slot)) continue;
            _others.UnionWith(view.Members);
            if (Array.IndexOf(view.Members, node) < 0) continue;
            for (int slot = view.Permitted.Next(0); slot >= 0; slot = view.Permitted.Next(slot + 1))
                _others.Add(parts.Nodes.At(slot));
        }
        _others.RemoveWhere(other => other == node || other.Info.IsRemoved);
        return _others;
    }

    /// <summary>The voice with which a node speaks about another: its identity, or the node itself.</summary>
    public static object VoiceOf(ServerNode node, ServerNode about) =>
        node.Identity.Length == 0 || node.Identity == about.Identity ? node : node.Identity;

    /// <summary>
    /// True when the witnesses against a node suffice: two nodes with two voices, or all that there could be.
    /// </summary>
    /// <param name="accused">The accused node.</param>
    /// <param name="witnesses">The nodes that have spoken; the accused itself may be one.</param>
    /// <param name="possible">All nodes whose word would count.</param>
    public static bool IsEnough(
        ServerNode accused, IReadOnlyCollection<ServerNode> witnesses, IReadOnlyCollection<ServerNode> possible) =>
        witnesses.Count >= Math.Min(Enough, possible.Count)
            && VoicesOf(accused, witnesses) >= Math.Min(Enough, VoicesOf(accused, possible));

    private static int VoicesOf(ServerNode accused, IReadOnlyCollection<ServerNode> nodes)
    {
        object? first = null;
        foreach (ServerNode node in nodes)
        {
            object voice = VoiceOf(node, accused);
            if (first is null) first = voice;
            else if (!first.Equals(voice)) return Enough;
        }
        return first is null ? 0 : 1;
    }
}
