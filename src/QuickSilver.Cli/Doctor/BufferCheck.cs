namespace QuickSilver.Cli.Doctor;

/// <summary>Whether the kernel grants the receive buffers that are asked for.</summary>
internal sealed class BufferCheck : ICheck
{
    /// <inheritdoc/>
    public string Name => "buffers";

    /// <inheritdoc/>
    public IEnumerable<Finding> Look(Scene scene)
    {
        int asked = scene.Options.Transport.ReceiveBufferBytes;
        string remedy = $"sysctl -w net.core.rmem_max={asked}, and the same line in /etc/sysctl.d.";
        string[] small = [.. scene.Heard(1201)];
        foreach (string text in small) yield return Finding.Trouble(text, remedy);
        if (small.Length > 0) yield break;
        if (scene.Statistics is { } statistics)
        {
            yield return statistics.SocketDrops == 0
                ? Finding.Good($"The kernel grants {statistics.ReceiveBufferBytes} bytes of receive buffer.")
                : Finding.Trouble(
                    $"The kernel has dropped {statistics.SocketDrops} datagrams during the examination.",
                    "Raise Transport.ReceiveBufferBytes, with net.core.rmem_max, or give the process more processor.");
        }
        // The kernel doubles what it grants, for its own use.
        else if (scene.Machine.MostReceiveBuffer < asked)
        {
            yield return Finding.Trouble(
                $"The kernel grants {scene.Machine.MostReceiveBuffer} bytes of receive buffer, and nodes ask for "
                + $"{asked}.", remedy);
        }
        else
        {
            yield return Finding.Note("The node did not start, so no buffer was granted.");
        }
    }
}
