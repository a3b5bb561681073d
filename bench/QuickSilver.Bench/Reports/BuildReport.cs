using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace QuickSilver.Bench.Reports;

/// <summary>Which code was measured.</summary>
/// <param name="Commit">Of the source it was built from; "unknown" outside a repository.</param>
/// <param name="HasLocalChanges">Whether the working tree differs from it now; null when that cannot be told.</param>
/// <param name="Configuration">Release or Debug.</param>
/// <param name="IsNative">Compiled ahead of time (<c>bench/native</c>), not by the runtime as it runs.</param>
internal sealed record BuildReport(string Commit, bool? HasLocalChanges, string Configuration, bool IsNative)
{
    /// <summary>Asks the assembly, and git where it is to be had.</summary>
    public static BuildReport Here()
    {
        Assembly assembly = typeof(QuickSilverNode).Assembly;
        string version = assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion
            ?? "";
        int plus = version.IndexOf('+', StringComparison.Ordinal);
        string commit = plus < 0 ? Git("rev-parse HEAD") ?? "unknown" : version[(plus + 1)..];
        string? status = Git("status --porcelain");
        string configuration = assembly.GetCustomAttribute<AssemblyConfigurationAttribute>()?.Configuration
            ?? "unknown";
        return new BuildReport(
            commit, status is null ? null : status.Length > 0, configuration, !RuntimeFeature.IsDynamicCodeSupported);
    }

    private static string? Git(string arguments)
    {
        try
        {
            var start = new ProcessStartInfo("git", arguments)
            {
                WorkingDirectory = AppContext.BaseDirectory,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            };
            using Process git = Process.Start(start)!;
            string output = git.StandardOutput.ReadToEnd();
            git.WaitForExit();
            return git.ExitCode == 0 ? output.Trim() : null;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return null;
        }
    }
}
