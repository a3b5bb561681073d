namespace QuickSilver.Cli.Doctor;

/// <summary>Whether datagrams pass by the ports of nodes.</summary>
internal sealed class PortCheck : ICheck
{
    /// <inheritdoc/>
    public string Name => "ports";

    /// <inheritdoc/>
    public IEnumerable<Finding> Look(Scene scene)
    {
        TransportOptions transport = scene.Options.Transport;
        if (scene.StartCode == ErrorCode.PortsExhausted)
        {
            yield return Finding.Trouble(
                scene.StartFailure!.Message,
                $"Free a port of Transport.PortRange ({transport.PortRange}), or widen it at all nodes.");
            yield break;
        }
        string[] blocked = [.. scene.Heard(1224, 1225, 1150, 1208)];
        foreach (string text in blocked)
        {
            yield return Finding.Trouble(
                text, $"Let UDP {transport.PortRange} through in both directions, and TCP to the server's port.");
        }
        string[] silent = [.. scene.Peers.Where(static one => one.Messages == 0).Select(static one => one.Name)];
        if (silent.Length > 0)
        {
            yield return Finding.Trouble(
                $"No message of {string.Join(", ", silent)} has arrived.",
                $"Let UDP {transport.PortRange} through in both directions.");
        }
        if (blocked.Length > 0 || silent.Length > 0) yield break;
        yield return scene.Peers.Count > 0
            ? Finding.Good($"Datagrams pass between this node and {Names(scene)}, both ways.")
            : Finding.Note("No other node took part, so no path was examined.", PeerHint(scene));
    }

    /// <summary>How to have another node take part.</summary>
    internal static string PeerHint(Scene scene) => scene.IsLocal
        ? "Run 'quicksilver doctor --answer' beside it."
        : "Run 'quicksilver doctor --answer' with the same options on another machine meanwhile.";

    /// <summary>The nodes that took part.</summary>
    internal static string Names(Scene scene) => string.Join(", ", scene.Peers.Select(static one => one.Name));
}
