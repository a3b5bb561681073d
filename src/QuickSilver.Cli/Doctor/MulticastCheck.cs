namespace QuickSilver.Cli.Doctor;

/// <summary>Whether multicast leaves this machine, arrives at others, and comes from them.</summary>
internal sealed class MulticastCheck : ICheck
{
    private const string SwitchRemedy = "Let the switches between forward it: turn IGMP snooping off, or give it a "
        + "querier; let a firewall on the way pass 239.192.66.0/24. Until then the sender sends copies.";

    /// <inheritdoc/>
    public string Name => "multicast";

    /// <inheritdoc/>
    public IEnumerable<Finding> Look(Scene scene)
    {
        if (scene.Statistics is not { } statistics)
        {
            yield return Finding.Note("It was not examined, because the node did not start.");
            yield break;
        }
        if (scene.Options.Transport.Kind == TransportKind.Unicast)
        {
            yield return Finding.Note("It is not used, because --transport Unicast was given.");
            yield break;
        }
        bool found = false;
        if (scene.Machine.Limits.MembershipsPerSocket == 0)
        {
            found = true;
            yield return Finding.Trouble(
                "This machine lets no socket join a multicast address.",
                "sysctl -w net.ipv4.igmp_max_memberships=20");
        }
        foreach (string text in scene.Heard(1204, 1205))
        {
            found = true;
            yield return Finding.Trouble(
                text, "Choose an interface with multicast by --interface; 'ip link set DEV multicast on' and a route "
                + "for 224.0.0.0/4 are needed.");
        }
        foreach (string text in scene.Heard(1210, 1212, 1213, 1131))
        {
            found = true;
            yield return Finding.Trouble(text, SwitchRemedy);
        }
        if (!found && statistics.UnicastMembers > 0)
        {
            found = true;
            yield return Finding.Trouble(
                $"This node's multicast does not reach {statistics.UnicastMembers} members.", SwitchRemedy);
        }
        if (found) yield break;
        if (scene.Peers.Count == 0)
        {
            yield return Finding.Note(
                "It leaves this machine and comes back. No other node took part, so the network was not examined.",
                PortCheck.PeerHint(scene));
        }
        else if (scene.Carrier == Carrier.Unicast)
        {
            yield return Finding.Trouble(
                "Messages are carried by unicast, because another node has no multicast.",
                "Run 'quicksilver doctor' there.");
        }
        else
        {
            yield return Finding.Good($"It passes between this node and {PortCheck.Names(scene)}, both ways.");
        }
    }
}
