using QuickSilver.Transport;

namespace QuickSilver.Cli.Doctor;

/// <summary>Whether a process may open the files that a node needs.</summary>
internal sealed class DescriptorCheck : ICheck
{
    /// <inheritdoc/>
    public string Name => "descriptors";

    /// <inheritdoc/>
    public IEnumerable<Finding> Look(Scene scene)
    {
        HostLimits limits = scene.Machine.Limits;
        yield return limits.IsShortOfFiles
            ? Finding.Trouble(
                $"A process may open {limits.OpenFiles} files, and a node may need {HostLimits.NeededFiles}.",
                "ulimit -n 65536, or LimitNOFILE=65536 of the service.")
            : Finding.Good(limits.OpenFiles is { } files
                ? $"A process may open {files} files." : "No limit of open files is known.");
    }
}
