namespace QuickSilver.Cli.Doctor;

/// <summary>Whether a node gets into the cluster at all. Keys, second clusters and ports have checks of their
/// own.</summary>
internal sealed class StartCheck : ICheck
{
    /// <inheritdoc/>
    public string Name => "membership";

    /// <inheritdoc/>
    public IEnumerable<Finding> Look(Scene scene)
    {
        if (scene.StartFailure is not { } failure)
        {
            yield return Finding.Good(scene.IsLocal
                ? "This node is in the cluster of this machine." : "A server has admitted this node.");
            yield break;
        }
        yield return Finding.Trouble(failure.Message, RemedyFor(scene.StartCode));
    }

    private static string RemedyFor(ErrorCode? code) => code switch
    {
        ErrorCode.MembershipUnreachable => "Start 'quicksilver membership run' at one of the servers, or correct "
            + "--server; let TCP to that port through the firewalls between.",
        ErrorCode.AuthenticationFailed => "See 'key' below.",
        ErrorCode.SecurityNotChosen => "Give --key-file with the cluster's key, or what else its nodes use.",
        ErrorCode.IncompatibleVersion => "Install the version of the tool that the cluster's nodes have.",
        ErrorCode.PortsExhausted => "See 'ports' below.",
        ErrorCode.InterfaceUnavailable => "Give --interface, by name, address or network, such as 10.0.0.0/24.",
        ErrorCode.MulticastUnavailable => "Leave out --transport Multicast, or have the network carry multicast.",
        _ => "docs/errors.md explains the code.",
    };
}
