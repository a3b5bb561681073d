namespace QuickSilver.Cli.Doctor;

/// <summary>Whether datagrams pass at their full length.</summary>
internal sealed class DatagramCheck : ICheck
{
    private const string Remedy = "Set the same MTU on all cards and switches between the two ('ip link set DEV mtu "
        + "1500'), or set Transport.MaxDatagramBytes to what passes. Messages arrive all the same.";

    /// <inheritdoc/>
    public string Name => "mtu";

    /// <inheritdoc/>
    public IEnumerable<Finding> Look(Scene scene)
    {
        string[] narrow = [.. scene.Heard(1220, 1222)];
        foreach (string text in narrow) yield return Finding.Trouble(text, Remedy);
        if (narrow.Length > 0) yield break;
        if (scene.Statistics is { NarrowPaths: > 0 and var paths })
        {
            yield return Finding.Trouble($"{paths} paths to and from other nodes drop long datagrams.", Remedy);
            yield break;
        }
        yield return scene.Peers.Count > 0
            ? Finding.Good($"Datagrams of {scene.Statistics?.DatagramBytes} bytes pass.")
            : Finding.Note("No other node took part, so no path was examined.", PortCheck.PeerHint(scene));
    }
}
