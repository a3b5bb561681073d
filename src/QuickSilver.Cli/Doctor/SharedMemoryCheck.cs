namespace QuickSilver.Cli.Doctor;

/// <summary>Whether nodes of one machine share memory.</summary>
internal sealed class SharedMemoryCheck : ICheck
{
    /// <inheritdoc/>
    public string Name => "shared memory";

    /// <inheritdoc/>
    public IEnumerable<Finding> Look(Scene scene)
    {
        string[] refused = [.. scene.Heard(1206)];
        foreach (string text in refused)
        {
            yield return Finding.Trouble(
                text, "Allow memory files (raise 'ulimit -f' and the memory limit), have loopback carry multicast, and "
                + "leave Transport.MaxDatagramBytes at 0. Packets go by sockets meanwhile.");
        }
        if (refused.Length > 0) yield break;
        if (!scene.IsLocal)
            yield return Finding.Note("It is for nodes of one machine, without --server.");
        else if (!OperatingSystem.IsLinux())
            yield return Finding.Note("It is for Linux.");
        else if (scene.Statistics is null)
            yield return Finding.Note("It was not examined, because the node did not start.");
        else if (!scene.Options.Transport.SharedMemory)
            yield return Finding.Note("Transport.SharedMemory turns it off.");
        else
            yield return Finding.Good("This node can share memory.");
    }
}
