namespace QuickSilver.Testing.Scheduling;

/// <summary>Virtual time stands still while events go on: something re-arms itself for the present instant.</summary>
internal sealed class SimulationSpinException : Exception
{
    /// <summary>Makes the exception.</summary>
    public SimulationSpinException() { }

    /// <summary>Makes the exception with a message.</summary>
    public SimulationSpinException(string message) : base(message) { }

    /// <summary>Makes the exception with a message and a cause.</summary>
    public SimulationSpinException(string message, Exception innerException) : base(message, innerException) { }
}
