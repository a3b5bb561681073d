namespace QuickSilver.Cli.Recordings;

/// <summary>A file is no recording that this version reads.</summary>
/// <param name="message">What is wrong with it.</param>
internal sealed class RecordingFault(string message) : Exception(message);
