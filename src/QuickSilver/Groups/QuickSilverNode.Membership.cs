namespace QuickSilver;

/// <content>The membership of a node that runs.</content>
public sealed partial class QuickSilverNode
{
    /// <summary>Replaces <see cref="MembershipOptions.Servers"/> of this node. As a
    /// <see cref="MembershipMode.Client"/> it looks for a server there at once, if it has none; one that is connected
    /// stays where it is until its server is gone. As a <see cref="MembershipMode.Host"/> it asks the new list for
    /// other hosts from now on. Any thread; does not wait, and allocates the list.</summary>
    /// <param name="servers">Servers as "host:port"; copied. A client needs at least one.</param>
    /// <exception cref="ArgumentException">An entry is invalid, the list of a client is empty, or the node's
    /// <see cref="MembershipOptions.Mode"/> asks no servers. Nothing has changed.</exception>
    /// <exception cref="ObjectDisposedException">The node has been disposed of.</exception>
    /// <exception cref="QuickSilverException">The node has stopped by itself; this is the reason.</exception>
    public void ChangeMembershipServers(IEnumerable<string> servers)
    {
        ArgumentNullException.ThrowIfNull(servers);
        MembershipOptions changed = _parts.Services.Options.Membership.Copy();
        changed.ChangeServers(servers);
        var errors = new OptionErrors();
        changed.Validate(errors);
        errors.ThrowIfAny(nameof(servers));
        if (State is NodeState.Stopping or NodeState.Stopped) throw Disposed();
        if (!_parts.TryChangeServers(changed) && changed.Servers.Count > 0)
            throw new ArgumentException(
                $"Membership.Servers: is given, and Membership.Mode is {changed.Mode}, which asks none.",
                nameof(servers));
    }
}
